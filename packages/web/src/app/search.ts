// Search parameters of pages. Invalid ones become undefined, and the frame reports them.
import { ORDERS, type Order } from '@cairn/protocol/read-choice';
import { RECORD_KINDS } from '@cairn/protocol/record-kind';
import { RUN_STATUSES, type RunStatus } from '@cairn/protocol/subscription-event';
import { isCondition } from '../features/records/where.ts';

type Said = Readonly<Record<string, unknown>>;
type RecordKind = (typeof RECORD_KINDS)[number];

interface InTime {
  readonly at?: number;
}

export interface RecordsSearch {
  readonly shape?: string;
  readonly kind?: RecordKind;
  readonly q?: string;
  /** As the API takes them: path:op:value. */
  readonly where?: readonly string[];
  readonly order?: Order;
  readonly retracted?: true;
}

/** `undefined` clears a choice. */
export type RecordsChange = { readonly [Name in keyof RecordsSearch]?: RecordsSearch[Name] | undefined };

interface RecordSearch {
  readonly version?: number;
  readonly as?: 'json';
}

interface ShapeSearch {
  readonly version?: number;
  readonly against?: number;
}

export interface GraphSearch {
  /** The record that the walk begins at. */
  readonly from?: string;
  readonly opened?: readonly string[];
  readonly without?: readonly string[];
  readonly selected?: string;
}

interface CommitSearch {
  /** Opened operations; without it, all if there are few. */
  readonly operation?: readonly number[];
  readonly page?: number;
}

export interface NewSearch {
  readonly kind?: Exclude<RecordKind, 'shape'>;
  readonly shape?: string;
  readonly about?: string;
  /** The record whose page the form was opened from, to return to. */
  readonly from?: string;
  readonly name?: string;
}

/** After a shape is made for a record, the form of that record follows. */
interface NewShapeSearch extends Pick<NewSearch, 'kind' | 'about' | 'from'> {
  readonly name?: string;
}

const ADDED_KINDS = ['thing', 'assertion', 'collection'] as const;
const EDIT_STEPS = ['rename', 'retract'] as const;

interface EditSearch {
  readonly step?: (typeof EDIT_STEPS)[number];
  readonly version?: number;
}

interface ExportSearch {
  readonly since?: number;
}

export interface RunsSearch {
  readonly subscription?: string;
  readonly status?: RunStatus;
}

interface AuditSearch {
  readonly action?: string;
}

interface RegistrySearch {
  readonly q?: string;
}

const whole = (value: unknown, least = 1): number | undefined => {
  const number = Number(value);
  return value !== '' && value !== null && Number.isSafeInteger(number) && number >= least ? number : undefined;
};
// The router parses numbers, and a name may look like one.
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
/** An empty list is a choice too. */
const wholes = (value: unknown, least: number): number[] | undefined => {
  const all = (Array.isArray(value) ? value : [value])
    .map((one) => whole(one, least))
    .filter((one) => one !== undefined);
  return all.length === 0 && !Array.isArray(value) ? undefined : [...new Set(all)];
};
const oneOf = <Choice extends string>(choices: readonly Choice[], value: unknown): Choice | undefined =>
  choices.find((choice) => choice === value);

/** An undefined parameter replaces the raw one. */
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

type Search = Readonly<Record<string, unknown>>;

interface LeftOut {
  /** As the address has it: `kind=nonsense`. */
  readonly said: string;
  readonly instead: string;
}

const INSTEAD: Readonly<Record<string, string>> = {
  at: 'you see the present',
  kind: 'no kind is chosen',
  order: 'the order is the usual one',
  where: 'this condition is left out',
  version: 'you see the newest version',
  page: 'you see the first page',
};

/** Parameters that the page does not know are ignored: other programs add some. */
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
