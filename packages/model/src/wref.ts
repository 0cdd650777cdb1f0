// Addresses of records: `Shape/name`, a shape's bare name, `wh:org/repo/Shape/name`, or a durable ID; each may end in
// `@HEAD`, a version such as `@v3`, or `@ALL`. Code with access to records resolves them.
import { fail } from '@cairn/protocol/errors';
import {
  findMisleadingCharacter,
  isRecordNamePart,
  ORGANIZATION_NAME,
  RECORD_NAME_BYTES_MAX,
  REPOSITORY_NAME,
  SHAPE_NAME,
} from '@cairn/protocol/names';
import { COLLECTIONS } from './collection.ts';
import { isJsonObject } from './json.ts';
import type { Field, Fields, WrefField } from './shape.ts';

/**
 * A version by its number, the present one, or all of them. `undefined` for an address without one, whose meaning
 * depends on the context.
 */
export type Pin = number | 'HEAD' | 'ALL' | undefined;

interface CanonicalWref {
  readonly orgName: string;
  readonly repoName: string;
  readonly name: RecordName;
}

export type Wref = { readonly pin: Pin } & ({ readonly name: RecordName } | CanonicalWref | DurableIdParts);

const CANONICAL = 'wh:';

export function parseWref(text: string): Wref {
  const { base, pin } = parsePin(text);
  const identity = parseDurableId(base);
  if (identity !== undefined) return { ...identity, pin };
  if (base.startsWith(CANONICAL)) return { ...parseCanonical(base), pin };
  return { name: parseRecordName(base), pin };
}

export type RepositoryPlace = Pick<DurableIdParts, 'repoId'> | Pick<CanonicalWref, 'orgName' | 'repoName'>;

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

/** The repository in a text, if the text is a wref with one. A quick look that does not validate the rest. */
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

export interface WrefParts {
  /** Both are present for a record of another repository. */
  readonly orgName?: string;
  readonly repoName?: string;
  /** A full name, a shape's bare name, or a durable ID. */
  readonly name: string;
  readonly version?: number;
}

const LOOSE_FORM = /^(?:wh:([^/]+)\/([^/]+)\/)?(.+?)(?:@(?:v(\d+)|HEAD|ALL))?$/;

/** Never fails and checks nothing: for texts that a user is still typing, and for data that may hold anything. */
export function splitWref(text: string): WrefParts {
  const [, orgName, repoName, name = text, version] = LOOSE_FORM.exec(text) ?? [];
  return {
    ...(orgName !== undefined && repoName !== undefined && { orgName, repoName }),
    name,
    ...(version !== undefined && { version: Number(version) }),
  };
}

/** A wref with a version, or without one the record at its head. */
export function pinWref(name: string, version: number | undefined): string {
  return version === undefined ? name : `${name}@v${version}`;
}

export function unpinWref(wref: string): string {
  return wref.replace(/@v\d+$/, '');
}

function parseCanonical(text: string): CanonicalWref {
  const [orgName = '', repoName = '', ...rest] = text.slice(CANONICAL.length).split('/');
  if (!ORGANIZATION_NAME.test(orgName) || !REPOSITORY_NAME.test(repoName) || rest.length === 0) {
    throw invalid(`${shown(text)} is not a record address. Write wh:org/repo/Shape/name.`);
  }
  return { orgName, repoName, name: parseRecordName(rest.join('/')) };
}

const invalid = (message: string) => fail('VALIDATION_ERROR', { message, details: [{ path: 'wref', message }] });

// Finds the wrefs in data, by its shape. It iterates over the keys of the data, not over the fields of the shape: data
// may hold very many small objects, and a shape very many fields.

type Token = string | number;

/** Called for each value of a `wref` field that is not null, with its path. */
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

// References by identity are stored beside data whose text names other records. The text keeps the names of its time of
// writing. The identities keep the records that these names meant, even after a rename.

export interface Identity extends DurableIdParts {
  readonly version: number;
}

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

/** As stored and exported: `[["/room","<durable ID>@v1"]]`; null if there are none. */
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

// The role of a reference: the subject of an assertion, a field, or the location of a member in a collection.

export const ABOUT = 'about';

export const MEMBER_ROLES: readonly string[] = Object.values(COLLECTIONS).flatMap(({ places }) => places);

/** Sorted as lists have them. */
export const REFERENCE_ROLES: readonly string[] = [ABOUT, 'field', ...MEMBER_ROLES].sort();

// Names of records: a shape's bare name, or `Shape/name` for everything else.

export interface RecordName {
  readonly shapeName: string;
  /** The part after the shape; '' for the shape itself. */
  readonly local: string;
}

/** The name of a new or renamed record, in NFC. A refusal names the location `path`. */
export function parseNewRecordName(text: unknown, path = '/name'): RecordName {
  const composed = typeof text === 'string' ? text.normalize('NFC') : text;
  const name = parseRecordName(composed, path);
  const problem = name.local === '' ? undefined : findNewNameProblem(String(composed), name);
  if (problem === undefined) return name;
  const message = `${shown(String(text))} ${problem}`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}

function findNewNameProblem(text: string, { local }: RecordName): string | undefined {
  if (text.length <= RECORD_NAME_BYTES_MAX && PLAIN_NAME.test(local)) return undefined;
  if (Buffer.byteLength(text) > RECORD_NAME_BYTES_MAX) return `is longer than ${RECORD_NAME_BYTES_MAX} bytes.`;
  const character = findMisleadingCharacter(text);
  if (character === undefined) return undefined;
  return `is not a record name: it contains ${character}, an invisible or unassigned character. Remove that character.`;
}

/** A name as given, then in NFC: new names are stored in NFC, and older ones as they were given. */
export function listSpellings(local: string): readonly string[] {
  const composed = local.normalize('NFC');
  return composed === local ? [local] : [local, composed];
}

/** The name of a record that may exist: longer than a new one can be, if its shape was renamed. */
export function parseRecordName(text: unknown, path = '/name'): RecordName {
  const invalid = (message: string) => fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
  if (typeof text !== 'string' || text === '') throw invalid('Give the name of a record, such as Location/cave.');
  const slash = text.indexOf('/');
  const shapeName = slash === -1 ? text : text.slice(0, slash);
  const local = slash === -1 ? '' : text.slice(slash + 1);
  if (!SHAPE_NAME.test(shapeName)) {
    throw invalid(
      /^[0-9]/.test(text)
        ? `${shown(text)} is neither a durable ID (one may be mistyped) nor a name such as Location/cave.`
        : `${shown(shapeName)} is not a shape name. Use a letter, then up to 127 letters, digits, _, - and dots.`,
    );
  }
  const problem = slash === -1 ? undefined : problemOf(text, local);
  if (problem !== undefined) throw invalid(problem);
  return { shapeName, local };
}

/** The usual case, one part of plain characters, which is quick to check. */
const PLAIN_NAME = /^[\w-]{1,512}$/;

function problemOf(text: string, local: string): string | undefined {
  if (PLAIN_NAME.test(local)) return undefined;
  if (Buffer.byteLength(local) > RECORD_NAME_BYTES_MAX) {
    return `${shown(text)} is longer than ${RECORD_NAME_BYTES_MAX} bytes.`;
  }
  // A lone surrogate has no UTF-8 form, so two different names would become one when stored.
  if (!local.isWellFormed()) return `${shown(text)} contains an unpaired surrogate.`;
  if (local.split('/').every(isRecordNamePart)) return undefined;
  return `${shown(text)} is not a record name. Its parts must not be empty, . or .., nor contain white space, control characters or any of ? # @ : $ + * % \\.`;
}

export function formatRecordName({ shapeName, local }: RecordName): string {
  return local === '' ? shapeName : `${shapeName}/${local}`;
}

/** Escapes invisible characters, which would be invisible in the message too. */
const shown = (text: string) =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text).replaceAll(
    /[\p{Cf}\p{Cn}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );

// The durable ID of a record: 26 characters of Crockford base32 that stay the same when the record is renamed.
//
//   2 zero bits | 48 bits of repository id | 48 bits of record id | 32 bits of CRC-32C over the 12 bytes of both ids
//
// The zeros make the first character a digit, which no shape's name starts with. The alphabet is in the order of its
// character codes, so that the IDs of a repository sort by the creation of its records.

export interface DurableIdParts {
  readonly repoId: number;
  readonly recordId: number;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGIT_CODES = Uint8Array.from(ALPHABET, (digit) => digit.charCodeAt(0));
const FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const ID_LIMIT = 2 ** 48;

const POLYNOMIAL_REVERSED = 0x82f63b78;
const REMAINDERS = Int32Array.from({ length: 256 }, (_, byte) => remainderOf(byte));
const CRC_START = -1;
const ASCII_MAX = 0x7f;

export function formatDurableId({ repoId, recordId }: DurableIdParts): string {
  requireId(recordId);
  const { digits, run } = startOf(repoId);
  const crc = crcEnd(crcWithId(run, recordId));
  // Five characters hold the first 25 of a record id's 48 bits. The other 23 share five characters with 2 bits of the
  // checksum.
  return (
    digits +
    fiveDigits(recordId / 2 ** 23) +
    fiveDigits(((recordId % 2 ** 23) << 2) | (crc >>> 30)) +
    ALPHABET[(crc >>> 25) & 31] +
    fiveDigits(crc)
  );
}

/**
 * The last repository's leading digits and partial checksum, cached because consecutive IDs are usually of one
 * repository.
 */
let latest = { repoId: -1, digits: '', run: CRC_START };

function startOf(repoId: number): typeof latest {
  if (latest.repoId === repoId) return latest;
  requireId(repoId);
  const digits = fiveDigits(repoId / 2 ** 25) + fiveDigits(repoId % 2 ** 25);
  latest = { repoId, digits, run: crcWithId(CRC_START, repoId) };
  return latest;
}

/** `undefined` if the text is no durable ID, a mistyped one included. */
export function parseDurableId(text: string): DurableIdParts | undefined {
  if (!FORM.test(text)) return undefined;
  const repoId = numberOf(text.slice(0, 10));
  // The two lowest bits of these ten characters belong to the checksum.
  const recordId = Math.floor(numberOf(text.slice(10, 20)) / 4);
  const parts = { repoId, recordId };
  return formatDurableId(parts) === text ? parts : undefined;
}

function requireId(id: number): void {
  if (!(Number.isInteger(id) && id >= 0 && id < ID_LIMIT)) throw new RangeError(`${id} is not an id of 48 bits`);
}

/** Adds the id's six bytes, highest first. It halves the id, because bit operators take at most 32 bits. */
function crcWithId(run: number, id: number): number {
  return crcWithHalf(crcWithHalf(run, Math.floor(id / 2 ** 24)), id % 2 ** 24);
}

function crcWithHalf(run: number, half: number): number {
  return crcWith(crcWith(crcWith(run, half >>> 16), half >>> 8), half);
}

/** Writes the lowest 25 bits, and ignores a fraction. */
function fiveDigits(bits: number): string {
  return String.fromCharCode(
    codeOf(bits >>> 20),
    codeOf(bits >>> 15),
    codeOf(bits >>> 10),
    codeOf(bits >>> 5),
    codeOf(bits),
  );
}

function codeOf(bits: number): number {
  return Number(DIGIT_CODES[bits & 31]);
}

function numberOf(digits: string): number {
  let number = 0;
  for (const digit of digits) number = number * 32 + ALPHABET.indexOf(digit);
  return number;
}

/** CRC-32C (Castagnoli) as an unsigned 32-bit number. It detects any changed character of a short text. */
export function crc32c(text: string): number {
  let run = CRC_START;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > ASCII_MAX) return crcOfBytes(new TextEncoder().encode(text));
    run = crcWith(run, code);
  }
  return crcEnd(run);
}

function crcOfBytes(bytes: Uint8Array): number {
  let run = CRC_START;
  for (const byte of bytes) run = crcWith(run, byte);
  return crcEnd(run);
}

/** Uses only the lowest 8 bits of `byte`. */
function crcWith(run: number, byte: number): number {
  return (run >>> 8) ^ Number(REMAINDERS[(run ^ byte) & 0xff]);
}

function crcEnd(run: number): number {
  return ~run >>> 0;
}

function remainderOf(byte: number): number {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ POLYNOMIAL_REVERSED : remainder >>> 1;
  }
  return remainder;
}
