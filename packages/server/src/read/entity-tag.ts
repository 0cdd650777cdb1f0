// ETags of reads. A tag covers the inputs of an answer, so a match needs no data access, and it is valid only for
// answers that depend on this repository alone.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';

const SIGHT_CHARACTERS = 17;
const REQUEST_CHARACTERS = 7;
const DIGITS = 36;

interface TaggedRequest {
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export function entityTag(context: Context, grant: Grant, { route, parameters }: TaggedRequest): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return entityTagOf(context, grant, JSON.stringify([route, given.sort(byName)]));
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

/** The view's hash is cached with the grant. The request needs only a checksum, because the caller knows it. */
export function entityTagOf({ keys, publicUrl }: Context, grant: Grant, request: string): string {
  let sight = sights.get(grant);
  if (sight?.key !== keys.entityTag || sight.publicUrl !== publicUrl) {
    sight = { key: keys.entityTag, publicUrl, digest: digestOf(keys.entityTag, publicUrl, grant) };
    sights.set(grant, sight);
  }
  return `W/"${sight.digest}${crc32(request).toString(DIGITS).padStart(REQUEST_CHARACTERS, '0')}"`;
}

interface Sight {
  readonly key: string;
  readonly publicUrl: string;
  readonly digest: string;
}

const sights = new WeakMap<Grant, Sight>();

/** Keyed, so that nobody can guess the inputs. A key prefix is safe with SHA-512/256, and faster than HMAC. */
function digestOf(key: string, publicUrl: string, grant: Grant): string {
  const { repoId, repository, narrowing = null, roles } = grant;
  const isMember = roles.organization !== null;
  const text = JSON.stringify([publicUrl, VERSION, repoId, repository, narrowing, isMember]);
  return hash('sha512-256', key + text, 'base64url').slice(0, SIGHT_CHARACTERS);
}

const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** `*` matches any tag, and weak or strong makes no difference (RFC 9110 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const own = tag.replace(/^W\//, '');
  return [...header.matchAll(TAGS)].some(([, opaque]) => opaque === own);
}
