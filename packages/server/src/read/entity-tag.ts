// ETags of repository reads. A tag stands for all that an answer is made of, so that whoever has the answer already is
// told so without a look at the data. It may be given out only where an answer depends on this repository alone.
import { hash } from 'node:crypto';
import { VERSION } from '@cairn/protocol/version';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';

const TAG_CHARACTERS = 24;

interface TaggedRequest {
  readonly route: string;
  /** All that decide what the answer holds. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * With a key, so that a tag tells nobody what it was made from: guesses of it cannot be tried out. The key simply stands
 * first, which with this hash is as good as an HMAC, and takes a third of its time.
 */
export function entityTag({ keys, publicUrl }: Context, grant: Grant, { route, parameters }: TaggedRequest): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const request = JSON.stringify([publicUrl, route, given.sort(byName)]);
  return `W/"${hash('sha512-256', keys.entityTag + sightText(grant) + request, 'base64url').slice(0, TAG_CHARACTERS)}"`;
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);

const sightTexts = new WeakMap<Grant, string>();

/** What the caller sees of the repository, and its sequence. */
function sightText(grant: Grant): string {
  const known = sightTexts.get(grant);
  if (known !== undefined) return known;
  const { repoId, repository, narrowing = null, roles } = grant;
  // Members are told more about who wrote something (access/audit.ts).
  const isMember = roles.organization !== null;
  const text = JSON.stringify([VERSION, repoId, repository, narrowing, isMember]);
  sightTexts.set(grant, text);
  return text;
}

const TAGS = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` names the tag: any does with `*`, and weak or strong makes no difference (RFC 9110 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const own = tag.replace(/^W\//, '');
  return [...header.matchAll(TAGS)].some(([, opaque]) => opaque === own);
}
