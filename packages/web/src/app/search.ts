// What the address of a page says behind its question mark: all that is chosen on a page is there, so that it can be sent
// to somebody. What is not understood is left out, as if it had not been said, and the frame tells of it.
import { ORDERS, type Order, RECORD_KINDS, RUN_STATUSES, type RunStatus } from '@cairn/protocol/vocabulary';
import { isCondition } from '../features/records/where.ts';

type Said = Readonly<Record<string, unknown>>;
type RecordKind = (typeof RECORD_KINDS)[number];

/** The whole view as of a sequence, on every page of a repository. */
interface InTime {
  readonly at?: number;
}

/** Which records are listed. */
export interface RecordsSearch {
  readonly shape?: string;
  readonly kind?: RecordKind;
  /** Words of a full-text search. */
  readonly q?: string;
  /** As the API takes them: path:op:value. */
  readonly where?: readonly string[];
  readonly order?: Order;
  readonly retracted?: true;
}

/** What `undefined` stands for is not chosen any more. */
export type RecordsChange = { readonly [Name in keyof RecordsSearch]?: RecordsSearch[Name] | undefined };

interface RecordSearch {
  readonly version?: number;
  /** The data as it is sent. */
  readonly as?: 'json';
}

interface ShapeSearch {
  /** The version that is shown, and the one that it is compared with. */
  readonly version?: number;
  readonly against?: number;
}

export interface GraphSearch {
  /** The record that the walk begins at. */
  readonly from?: string;
  /** Records that were opened, one after the other. */
  readonly opened?: readonly string[];
  /** Shapes that are not shown. */
  readonly without?: readonly string[];
  /** The record that is looked at. */
  readonly selected?: string;
}

interface CommitSearch {
  /** The operations whose differences are shown; without, all where there are few. */
  readonly operation?: readonly number[];
  /** Of the operations. */
  readonly page?: number;
}

/** Which record is to be added. */
export interface NewSearch {
  readonly kind?: Exclude<RecordKind, 'shape'>;
  readonly shape?: string;
  /** What an assertion is about. */
  readonly about?: string;
  /** The record from whose page it was begun, to go back to. */
  readonly from?: string;
  /** Of one that is in the draft already. */
  readonly name?: string;
}

/** A shape that is made for a record is followed by the form of that. */
interface NewShapeSearch extends Pick<NewSearch, 'kind' | 'about' | 'from'> {
  /** Of one that is in the draft already. */
  readonly name?: string;
}

const ADDED_KINDS = ['thing', 'assertion', 'collection'] as const;
const EDIT_STEPS = ['rename', 'retract'] as const;

interface EditSearch {
  /** Not the data, but its name, or whether it is there. */
  readonly step?: (typeof EDIT_STEPS)[number];
  /** The version whose data it begins with; without, the newest. */
  readonly version?: number;
}

interface ExportSearch {
  /** Only what changed after this sequence. */
  readonly since?: number;
}

export interface RunsSearch {
  readonly subscription?: string;
  readonly status?: RunStatus;
}

interface AuditSearch {
  /** Only what was done so. */
  readonly action?: string;
}

interface RegistrySearch {
  /** Words of names and descriptions. */
  readonly q?: string;
}

const whole = (value: unknown, least = 1): number | undefined => {
  const number = Number(value);
  return value !== '' && value !== null && Number.isSafeInteger(number) && number >= least ? number : undefined;
};
// The router reads numbers out of an address; a shape or a search may be called like one.
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value) || undefined
    : undefined;
const texts = (value: unknown): string[] | undefined => {
  const all = (Array.isArray(value) ? value : [value]).map(text).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : all;
};
const conditions = (value: unknown): string[] | undefined => {
  const all = texts(value)?.filter(isCondition);
  return all?.length === 0 ? undefined : all;
};
/** An empty list says something too. */
const wholes = (value: unknown, least: number): number[] | undefined => {
  const all = (Array.isArray(value) ? value : [value])
    .map((one) => whole(one, least))
    .filter((one) => one !== undefined);
  return all.length === 0 && !Array.isArray(value) ? undefined : [...new Set(all)];
};
const oneOf = <Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined =>
  choices.find((choice) => choice === value);

/** What was not understood is undefined here, and so takes the place of what the address says. */
function said<Search extends object>(search: { [Name in keyof Search]: Search[Name] | undefined }): Search {
  return search as Search;
}

export const inTime = ({ at }: Said) => said<InTime>({ at: whole(at) });

export const recordsSearch = ({ shape, kind, q, where, order, retracted }: Said) =>
  said<RecordsSearch>({
    shape: text(shape),
    kind: oneOf(RECORD_KINDS, kind),
    q: text(q),
    where: conditions(where),
    order: oneOf(ORDERS, order),
    retracted: retracted === true ? true : undefined,
  });

export const recordSearch = ({ version, as }: Said) =>
  said<RecordSearch>({ version: whole(version), as: oneOf(['json'], as) });

export const shapeSearch = ({ version, against }: Said) =>
  said<ShapeSearch>({ version: whole(version), against: whole(against) });

export const graphSearch = ({ from, opened, without, selected }: Said) =>
  said<GraphSearch>({ from: text(from), opened: texts(opened), without: texts(without), selected: text(selected) });

export const commitSearch = ({ operation, page }: Said) =>
  said<CommitSearch>({ operation: wholes(operation, 0), page: whole(page) });

export const exportSearch = ({ since }: Said) => said<ExportSearch>({ since: whole(since) });

export const newShapeSearch = ({ kind, about, from, name }: Said) =>
  said<NewShapeSearch>({ kind: oneOf(ADDED_KINDS, kind), about: text(about), from: text(from), name: text(name) });

export const newSearch = ({ shape, ...others }: Said) =>
  said<NewSearch>({ ...newShapeSearch(others), shape: text(shape) });

export const editSearch = ({ step, version }: Said) =>
  said<EditSearch>({ step: oneOf(EDIT_STEPS, step), version: whole(version) });

export const runsSearch = ({ subscription, status }: Said) =>
  said<RunsSearch>({ subscription: text(subscription), status: oneOf(RUN_STATUSES, status) });

export const auditSearch = ({ action }: Said) => said<AuditSearch>({ action: text(action) });

export const registrySearch = ({ q }: Said) => said<RegistrySearch>({ q: text(q) });

// What an address says and no page understands, and what is shown in its place.

type Search = Readonly<Record<string, unknown>>;

interface LeftOut {
  /** As the address has it: `kind=nonsense`. */
  readonly said: string;
  /** What is done instead. */
  readonly instead: string;
}

/** Of all else nothing better can be said than that it is left out. */
const INSTEAD: Readonly<Record<string, string>> = {
  at: 'you see the present',
  kind: 'no kind is chosen',
  order: 'the order is the usual one',
  where: 'this condition is left out',
  version: 'you see the newest version',
  page: 'you see the first page',
};

/** Names that a page does not know at all are no concern of it: other programs add some. */
export function leftOutOf(said: Search, understood: Search): LeftOut[] {
  const names = Object.keys(said).filter((name) => Object.hasOwn(understood, name));
  return names.flatMap((name) => {
    const known = listOf(understood[name]).map(String);
    return listOf(said[name])
      .map(textOf)
      .filter(
        (text) => text !== '' && (known.length === 0 || (Array.isArray(understood[name]) && !known.includes(text))),
      )
      .map((text) => ({ said: `${name}=${text}`, instead: INSTEAD[name] ?? 'it is left out' }));
  });
}

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
