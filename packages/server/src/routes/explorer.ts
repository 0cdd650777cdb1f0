// The explorer's static files, read once when the server starts.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { answer } from './edge/answer.ts';
import type { RouteHandler } from './edge/env.ts';
import { unknownPathError } from './edge/error.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Explorer {
  readonly index: RouteHandler;
  readonly asset: RouteHandler;
}

export function createExplorer(folder: string): Explorer {
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const assets = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const name of readdirSync(join(folder, 'assets'))) {
    assets.set(name, new Uint8Array(readFileSync(join(folder, 'assets', name))));
  }
  return {
    index: (c) => answer(c, { body: index, contentType: 'text/html; charset=utf-8', headers: revalidated }),
    asset: (c) => {
      const name = c.req.param('file') ?? '';
      const body = assets.get(name);
      if (body === undefined) throw unknownPathError();
      const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
      return answer(c, { body, contentType, headers: revalidated });
    },
  };
}

const revalidated = { 'cache-control': 'public, no-cache' };
