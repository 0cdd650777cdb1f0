// ETags of reads. A tag covers the inputs of an answer, so a match needs no data access. It is valid only for answers
// that depend on this repository alone.
import { hash } from 'node:crypto';
import { VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';

const TAG_CHARACTERS = 24;

interface TaggedRequest {
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Keyed, so that nobody can guess the inputs. With SHA-512/256 a key prefix is as good as HMAC, and faster. */
export function entityTag({ keys, publicUrl }: Context, grant: Grant, { route, parameters }: TaggedRequest): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const request = JSON.stringify([publicUrl, route, given.sort(byName)]);
  return `W/"${hash('sha512-256', keys.entityTag + sightText(grant) + request, 'base64url').slice(0, TAG_CHARACTERS)}"`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

const sightTexts = new WeakMap<Grant, string>();

function sightText(grant: Grant): string {
  const known = sightTexts.get(grant);
  if (known !== undefined) return known;
  const { repoId, repository, narrowing = null, roles } = grant;
  // Members learn more about authors (access/audit.ts).
  const isMember = roles.organization !== null;
  const text = JSON.stringify([VERSION, repoId, repository, narrowing, isMember]);
  sightTexts.set(grant, text);
  return text;
}

const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** `*` matches any tag, and weak or strong makes no difference (RFC 9110 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const own = tag.replace(/^W\//, '');
  return [...header.matchAll(TAGS)].some(([, opaque]) => opaque === own);
}
