// The explorer's static files, each read on first request. `npm install` builds them (packages/web).
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ORGANIZATION_NAME, RESERVED_ORGANIZATION_NAMES } from '@cairn/protocol/names';
import { answer, EXPLORER_POLICY } from '../http/answer.ts';
import { unknownPathError } from '../http/error.ts';
import type { Answered, Exchange, RouteHandler } from '../http/exchange.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const COMPRESSED = '.br';

interface Explorer {
  readonly index: RouteHandler;
  readonly asset: RouteHandler;
  readonly isPage: (c: Exchange) => boolean;
  readonly pageInSmall: (c: Exchange) => string | undefined;
}

type Bytes = Uint8Array<ArrayBuffer>;

export function createExplorer(folder: string): Explorer {
  const index = readIndex(folder);
  const assets = openAssets(join(folder, 'assets'));
  return {
    index: (c) => answer(c, { body: index, contentType: 'text/html; charset=utf-8', headers: PAGE_HEADERS }),
    asset: (c) => answerAsset(c, assets),
    isPage,
    pageInSmall,
  };
}

function readIndex(folder: string): string {
  const file = join(folder, 'index.html');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new Error('The explorer is not built. Run `npm run build:web`, and start again.');
}

/** Serves only files that existed at the start. */
function openAssets(folder: string): (name: string) => Bytes | undefined {
  const known = new Map<string, Bytes | undefined>(readdirSync(folder).map((name) => [name, undefined]));
  return (name) => {
    if (!known.has(name)) return undefined;
    const body = known.get(name) ?? new Uint8Array(readFileSync(join(folder, name)));
    known.set(name, body);
    return body;
  };
}

function answerAsset(c: Exchange, assets: (name: string) => Bytes | undefined): Answered | Promise<Answered> {
  const name = c.params.file ?? '';
  const contentType = CONTENT_TYPES[extname(name)];
  const body = assets(name);
  if (contentType === undefined || body === undefined) throw unknownPathError();
  const headers = { 'cache-control': HASHED.test(name) ? FOR_EVER : REVALIDATED };
  const compressed = takesBrotli(c) ? assets(`${name}${COMPRESSED}`) : undefined;
  if (compressed === undefined) return answer(c, { body, contentType, headers });
  const encoded = { ...headers, 'content-encoding': 'br', vary: 'Accept-Encoding' };
  return answer(c, { body: compressed, contentType, headers: encoded });
}

/** A content hash in the name allows caching forever. */
const HASHED = /-[\w-]{8}\.(?:css|js|svg)$/;
const FOR_EVER = 'public, max-age=31536000, immutable';
const REVALIDATED = 'public, no-cache';
const PAGE_HEADERS = { 'cache-control': REVALIDATED, 'content-security-policy': EXPLORER_POLICY };

const takesBrotli = (c: Exchange): boolean =>
  /\bbr\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(c.header('accept-encoding') ?? '');

const OF_NO_ORGANIZATION = '-';

const isForBrowser = (c: Exchange): boolean =>
  ['GET', 'HEAD'].includes(c.method) && c.header('accept')?.includes('text/html') === true;

const isOrganization = (name: string): boolean =>
  ORGANIZATION_NAME.test(name) && !RESERVED_ORGANIZATION_NAMES.has(name);

function isPage(c: Exchange): boolean {
  const [, first = ''] = c.path.split('/');
  return isForBrowser(c) && (first === OF_NO_ORGANIZATION || isOrganization(first));
}

function pageInSmall(c: Exchange): string | undefined {
  const { target, search } = c;
  const [, first = '', ...rest] = target.split('/');
  const small = first.toLowerCase();
  return isForBrowser(c) && isOrganization(small) ? `${['', small, ...rest].join('/')}${search}` : undefined;
}
