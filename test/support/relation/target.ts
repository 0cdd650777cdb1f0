// Resolution of wrefs in the model, at the moment when an operation uses them.
import { Refusal } from './refusal.ts';
import { headOf, type ModelRecord, ModelRef, type ModelState, refsIn } from './state.ts';
import type { ModelTokens } from './token.ts';

export interface ModelAddress {
  readonly repo: string;
  readonly id: number;
}

export interface ModelReader {
  /** The repository that the commit goes to. Its address begins canonical wrefs. */
  readonly repo: string;
  readonly state: ModelState;
  /** Other repositories that the writer may read, in their current state. */
  readonly readable: ReadonlyMap<string, ModelState>;
  readonly durableIds: ReadonlyMap<string, ModelAddress>;
  readonly tokens: ModelTokens;
}

interface Found {
  readonly repo: string;
  readonly state: ModelState;
  readonly record: ModelRecord;
}

const LOCAL = /^[A-Za-z]+(?:\/[^\s/#]+)*$/;

interface Place {
  /** True for a shape's field, which a text that is not a wref does not match. */
  readonly field: boolean;
  /** The present data of a revised record, and the path of the wref in it. */
  readonly held?: { readonly present: unknown; readonly path: string };
}

/** Thrown if the present data holds several versions of one target and the wref is at a new path. */
export class Ambiguity extends Error {}

export function resolve(reader: ModelReader, text: string, { field, held }: Place): ModelRef {
  const [base = '', pin] = text.split('@');
  if (!isWref(reader, base)) throw new Refusal(field ? 'SHAPE_MISMATCH' : 'VALIDATION_ERROR');
  if (pin === 'ALL') throw new Refusal('VALIDATION_ERROR');
  const { repo, state, record } = find(reader, base);
  const exact = pin !== undefined && pin !== 'HEAD';
  const kept = exact || headOf(record).active ? undefined : heldVersion({ repo, id: record.id }, held);
  const version = exact ? Number(pin.slice(1)) : (kept ?? record.versions.length);
  const isThere = version <= record.versions.length && (exact || kept !== undefined || headOf(record).active);
  if (!isThere) throw new Refusal('TARGET_NOT_FOUND');
  const canonical = `${repo}${state.nameOf(record)}@v${version}`;
  return new ModelRef({ repo, id: record.id, version, exact, text: repo === reader.repo ? undefined : canonical });
}

/** A record may keep a reference to a target that was retracted later. */
function heldVersion({ repo, id }: ModelAddress, held: Place['held']): number | undefined {
  const refs = refsIn(held?.present).filter(({ ref }) => ref.repo === repo && ref.id === id);
  const there = refs.find(({ path }) => path === held?.path);
  if (there !== undefined) return there.ref.version;
  if (new Set(refs.map(({ ref }) => ref.version)).size > 1) throw new Ambiguity();
  return refs[0]?.ref.version;
}

function isWref({ durableIds }: ModelReader, base: string): boolean {
  return /^#[0-9]+$/.test(base) || base.startsWith('wh:') || durableIds.has(base) || LOCAL.test(base);
}

function find(reader: ModelReader, base: string): Found {
  const { repo, state, tokens } = reader;
  if (base.startsWith('#')) return { repo, state, record: state.record(tokens.resolve(Number(base.slice(1)))) };
  const identity = reader.durableIds.get(base);
  if (identity !== undefined) {
    const there = stateOf(reader, identity.repo);
    return { repo: identity.repo, state: there, record: there.record(identity.id) };
  }
  const address = base.startsWith('wh:') ? base.split('/').slice(0, 2).join('/').concat('/') : repo;
  const name = base.startsWith('wh:') ? base.slice(address.length) : base;
  const there = stateOf(reader, address);
  const record = there.find(name);
  if (record !== undefined) return { repo: address, state: there, record };
  throw address === repo ? tokens.missing(name, 'TARGET_NOT_FOUND') : new Refusal('TARGET_NOT_FOUND');
}

/** A repository that cannot be read looks missing. */
function stateOf({ repo, state, readable }: ModelReader, address: string): ModelState {
  const found = address === repo ? state : readable.get(address);
  if (found === undefined) throw new Refusal('TARGET_NOT_FOUND');
  return found;
}
