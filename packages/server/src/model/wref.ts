// Addresses of records: `Shape/name`, a shape's bare name, `wh:org/repo/Shape/name`, or a durable ID; each may end in
// `@HEAD`, a version such as `@v3`, or `@ALL`. What an address means is for those who can read records.
import { fail } from '@cairn/protocol/errors';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import { type DurableIdParts, parseDurableId } from './durable-id.ts';
import { parseRecordName, type RecordName } from './record-name.ts';

/** A version by its number, the present one, or all of them. Bare is `undefined`: what it means depends on the place. */
export type Pin = number | 'HEAD' | 'ALL' | undefined;

export interface LocalWref {
  readonly name: RecordName;
}

export interface CanonicalWref {
  readonly orgName: string;
  readonly repoName: string;
  readonly name: RecordName;
}

export type Wref = { readonly pin: Pin } & (LocalWref | CanonicalWref | DurableIdParts);

const CANONICAL = 'wh:';

export function parseWref(text: string): Wref {
  const { base, pin } = parsePin(text);
  const identity = parseDurableId(base);
  if (identity !== undefined) return { ...identity, pin };
  if (base.startsWith(CANONICAL)) return { ...parseCanonical(base), pin };
  return { name: parseRecordName(base), pin };
}

/** The repository that a text would lead to, if it is a wref with one: a quick look, without checking the rest. */
export function repositoryIn(text: string): Pick<CanonicalWref, 'orgName' | 'repoName'> | DurableIdParts | undefined {
  if (!text.startsWith(CANONICAL)) return text.length < 26 ? undefined : parseDurableId(text.slice(0, 26));
  const [orgName = '', repoName = '', rest] = text.slice(CANONICAL.length, CANONICAL.length + 160).split('/', 3);
  if (rest === undefined || !ORGANIZATION_NAME.test(orgName) || !REPOSITORY_NAME.test(repoName)) return undefined;
  return { orgName, repoName };
}

export function formatCanonical({ orgName, repoName, name }: Record<'orgName' | 'repoName' | 'name', string>): string {
  return `${CANONICAL}${orgName}/${repoName}/${name}`;
}

export function parsePin(text: string): { base: string; pin: Pin } {
  const at = text.lastIndexOf('@');
  if (at === -1) return { base: text, pin: undefined };
  const base = text.slice(0, at);
  const pin = text.slice(at + 1);
  if (pin === 'HEAD' || pin === 'ALL') return { base, pin };
  const version = /^v([1-9][0-9]{0,14})$/.exec(pin)?.[1];
  if (version !== undefined) return { base, pin: Number(version) };
  throw invalid(`${shown(text)} ends in ${shown(`@${pin}`)}. Use @HEAD, or a version such as @v3.`);
}

function parseCanonical(text: string): CanonicalWref {
  const [orgName = '', repoName = '', ...rest] = text.slice(CANONICAL.length).split('/');
  if (!ORGANIZATION_NAME.test(orgName) || !REPOSITORY_NAME.test(repoName) || rest.length === 0) {
    throw invalid(`${shown(text)} is not the address of a record. Write wh:org/repo/Shape/name.`);
  }
  return { orgName, repoName, name: parseRecordName(rest.join('/')) };
}

const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const invalid = (message: string) => fail('VALIDATION_ERROR', { message, details: [{ path: 'wref', message }] });
