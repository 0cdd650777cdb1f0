// Addresses of records: `Shape/name`, a shape's bare name, `wh:org/repo/Shape/name`, or a durable ID; each may end in
// `@HEAD`, a version such as `@v3`, or `@ALL`. What an address means is for those who can read records.
import { fail } from '@cairn/protocol/errors';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import { COLLECTIONS } from './collection.ts';
import { type DurableIdParts, formatDurableId, parseDurableId } from './durable-id.ts';
import { isJsonObject } from './json.ts';
import { parseRecordName, type RecordName } from './record-name.ts';
import type { Field, Fields, WrefField } from './shape.ts';

/** A version by its number, the present one, or all of them. Bare is `undefined`: what it means depends on the place. */
export type Pin = number | 'HEAD' | 'ALL' | undefined;

interface LocalWref {
  readonly name: RecordName;
}

interface CanonicalWref {
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

export type RepositoryPlace = Pick<DurableIdParts, 'repoId'> | Pick<CanonicalWref, 'orgName' | 'repoName'>;

/** The repositories that the texts in any value would lead to. */
export function repositoriesIn(content: unknown): RepositoryPlace[] {
  const found = new Map<string, RepositoryPlace>();
  collectRepositories(content, found);
  return [...found.values()];
}

function collectRepositories(value: unknown, found: Map<string, RepositoryPlace>): void {
  if (typeof value === 'string') {
    const place = repositoryIn(value);
    if (place === undefined) return;
    if ('repoId' in place) found.set(String(place.repoId), { repoId: place.repoId });
    else found.set(`${place.orgName}/${place.repoName}`, place);
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Array.isArray(value) ? value : Object.values(value)) collectRepositories(member, found);
  }
}

/** The repository that a text would lead to, if it is a wref with one: a quick look, without checking the rest. */
export function repositoryIn(text: string): RepositoryPlace | undefined {
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

/** What a text would name if it is a wref. */
export interface WrefParts {
  /** Both are there for a record of another repository. */
  readonly orgName?: string;
  readonly repoName?: string;
  /** A full name, a shape's bare name, or a durable ID. */
  readonly name: string;
  readonly version?: number;
}

const LOOSE_FORM = /^(?:wh:([^/]+)\/([^/]+)\/)?(.+?)(?:@(?:v(\d+)|HEAD|ALL))?$/;

/** Never fails and checks nothing: for texts that are still typed, and for data that may hold anything. */
export function splitWref(text: string): WrefParts {
  const [, orgName, repoName, name = text, version] = LOOSE_FORM.exec(text) ?? [];
  return {
    ...(orgName !== undefined && repoName !== undefined && { orgName, repoName }),
    name,
    ...(version !== undefined && { version: Number(version) }),
  };
}

/** A version of a record; without one, the record at its head. */
export function pinWref(name: string, version: number | undefined): string {
  return version === undefined ? name : `${name}@v${version}`;
}

export function unpinWref(wref: string): string {
  return wref.replace(/@v\d+$/, '');
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

// Finds the wrefs in data, by its shape. It goes along the keys that the data has, not along the fields that the shape
// has: data may hold very many small objects, and a shape very many fields.

type Token = string | number;

/** Called for each value of a `wref` field that is not null, with the way to it. */
type VisitWref = (value: unknown, tokens: readonly Token[], field: WrefField) => void;

type Visitor = (value: unknown, tokens: Token[], visit: VisitWref) => void;

/** `undefined` for a shape that has no `wref` field. */
export function compileWrefVisitor(fields: Fields): ((data: unknown, visit: VisitWref) => void) | undefined {
  const visitor = ofFields(fields);
  return visitor && ((data, visit) => visitor(data, [], visit));
}

function ofFields(fields: Fields): Visitor | undefined {
  const members = new Map<string, Visitor>();
  for (const [name, field] of fields) {
    const visitor = ofField(field);
    if (visitor !== undefined) members.set(name, visitor);
  }
  if (members.size === 0) return undefined;
  return (value, tokens, visit) => {
    if (!isJsonObject(value)) return;
    for (const name in value) {
      const visitor = members.get(name);
      if (visitor === undefined || !Object.hasOwn(value, name)) continue;
      tokens.push(name);
      visitor(value[name], tokens, visit);
      tokens.pop();
    }
  };
}

function ofField(field: Field): Visitor | undefined {
  if (field.type === 'object') return ofFields(field.fields);
  if (field.type === 'wref') {
    return (value, tokens, visit) => {
      if (value !== undefined && value !== null) visit(value, tokens, field);
    };
  }
  const item = field.type === 'array' && field.items !== undefined ? ofField(field.items) : undefined;
  return item && ofItems(item);
}

function ofItems(item: Visitor): Visitor {
  return (value, tokens, visit) => {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index++) {
      tokens.push(index);
      item(value[index], tokens, visit);
      tokens.pop();
    }
  };
}

// References by identity: what stands beside data whose text names other records. The text keeps the names of the moment
// it was written; the identities say whom it meant, whatever they are called since.

/** One version of one record, in any repository. */
export interface Identity extends DurableIdParts {
  readonly version: number;
}

/** Where in data a record is referred to, and which. */
export interface Reference extends Identity {
  /** A JSON pointer. */
  readonly path: string;
}

/** `<durable ID>@v<version>` */
export function formatIdentity({ version, repoId, recordId }: Identity): string {
  return `${formatDurableId({ repoId, recordId })}@v${version}`;
}

export function parseIdentity(text: string): Identity {
  const [durableId = '', version] = text.split('@v');
  const parts = parseDurableId(durableId);
  if (parts === undefined) throw new Error(`${text} is not an identity`);
  return { ...parts, version: Number(version) };
}

/** As stored and exported: `[["/room","<durable ID>@v1"]]`; null where there are none. */
export function formatReferences(references: readonly Reference[]): string | null {
  if (references.length === 0) return null;
  let text = '';
  for (const one of references)
    text += `${text === '' ? '[' : ','}[${JSON.stringify(one.path)},"${formatIdentity(one)}"]`;
  return `${text}]`;
}

export function parseReferences(text: string | null): Reference[] {
  if (text === null) return [];
  return (JSON.parse(text) as [string, string][]).map(([path, identity]) => ({ path, ...parseIdentity(identity) }));
}

export function isSameRecord(a: DurableIdParts, b: DurableIdParts): boolean {
  return a.repoId === b.repoId && a.recordId === b.recordId;
}

// How a record refers to another: as what it is about, in a field, or as the place of a member in a collection.

export const ABOUT = 'about';

export const MEMBER_ROLES: readonly string[] = Object.values(COLLECTIONS).flatMap(({ places }) => places);

/** In the order in which lists have them. */
export const REFERENCE_ROLES: readonly string[] = [ABOUT, 'field', ...MEMBER_ROLES].sort();
