// Search parameters of pages. Invalid ones become undefined, and the frame reports them.
import { ORDERS, RECORD_KINDS, RUN_STATUSES } from '@cairn/protocol/vocabulary';
import { isCondition } from '../features/records/where.ts';

export type RawSearch = Readonly<Record<string, unknown>>;
const ADDED_KINDS = ['thing', 'assertion', 'collection'] as const;
const EDIT_STEPS = ['rename', 'retract'] as const;

const whole = (value: unknown, least = 1): number | undefined => {
  const number = Number(value);
  return value !== '' && value !== null && Number.isSafeInteger(number) && number >= least ? number : undefined;
};
// The router parses numbers, and a name may look like one.
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value) || undefined
    : undefined;
const texts = (value: unknown): readonly string[] | undefined => {
  const all = (Array.isArray(value) ? value : [value]).map(text).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : all;
};
const conditions = (value: unknown): readonly string[] | undefined => {
  const all = texts(value)?.filter(isCondition);
  return all?.length === 0 ? undefined : all;
};
const wholes = (value: unknown, least: number): readonly number[] | undefined => {
  const all = (Array.isArray(value) ? value : [value])
    .map((one) => whole(one, least))
    .filter((one) => one !== undefined);
  return all.length === 0 && !Array.isArray(value) ? undefined : [...new Set(all)];
};
const oneOf = <const Choice extends string>(choices: readonly Choice[], value: unknown) =>
  choices.find((choice) => choice === value);

type Understood<Search> = { readonly [Name in keyof Search]?: Exclude<Search[Name], undefined> };

const understood = <Search extends object>(search: Search) => search as Understood<Search>;

export const inTime = ({ at }: RawSearch) => understood({ at: whole(at) });

export const recordsSearch = ({ shape, kind, q, where, order, retracted }: RawSearch) =>
  understood({
    shape: text(shape),
    kind: oneOf(RECORD_KINDS, kind),
    q: text(q),
    where: conditions(where),
    order: oneOf(ORDERS, order),
    retracted: retracted === true ? (true as const) : undefined,
  });

export const recordSearch = ({ version, as }: RawSearch) =>
  understood({ version: whole(version), as: oneOf(['json'], as) });

export const shapeSearch = ({ version, against }: RawSearch) =>
  understood({ version: whole(version), against: whole(against) });

export const graphSearch = ({ from, opened, without, selected }: RawSearch) =>
  understood({ from: text(from), opened: texts(opened), without: texts(without), selected: text(selected) });

/** Opened operations; without them, all if there are few. */
export const commitSearch = ({ operation, page }: RawSearch) =>
  understood({ operation: wholes(operation, 0), page: whole(page) });

export const exportSearch = ({ since }: RawSearch) => understood({ since: whole(since) });

/** `from` is the record whose page the form was opened from, to return to. */
export const newShapeSearch = ({ kind, about, from, name }: RawSearch) =>
  understood({ kind: oneOf(ADDED_KINDS, kind), about: text(about), from: text(from), name: text(name) });

export const newSearch = ({ shape, ...others }: RawSearch) =>
  understood({ ...newShapeSearch(others), shape: text(shape) });

export const editSearch = ({ step, version }: RawSearch) =>
  understood({ step: oneOf(EDIT_STEPS, step), version: whole(version) });

export const runsSearch = ({ subscription, status }: RawSearch) =>
  understood({ subscription: text(subscription), status: oneOf(RUN_STATUSES, status) });

export const auditSearch = ({ action }: RawSearch) => understood({ action: text(action) });
export const registrySearch = ({ q }: RawSearch) => understood({ q: text(q) });
export type RecordsSearch = ReturnType<typeof recordsSearch>;
/** `undefined` clears a choice. */
export type RecordsChange = { readonly [Name in keyof RecordsSearch]?: RecordsSearch[Name] | undefined };
export type GraphSearch = ReturnType<typeof graphSearch>;
export type NewSearch = ReturnType<typeof newSearch>;
export type RunsSearch = ReturnType<typeof runsSearch>;

interface LeftOut {
  readonly said: string;
  readonly instead: string;
}

const INSTEAD: Readonly<Record<string, string>> = {
  at: 'showing the latest state',
  kind: 'showing all kinds',
  order: 'using the default order',
  where: 'condition ignored',
  version: 'showing the newest version',
  page: 'showing the first page',
};

/** Parameters that the page does not know are ignored: other programs add some. */
export function leftOutOf(said: RawSearch, understood: RawSearch): LeftOut[] {
  const names = Object.keys(said).filter((name) => Object.hasOwn(understood, name));
  return names.flatMap((name) => {
    const known = toList(understood[name]).map(String);
    return toList(said[name])
      .map(rawText)
      .filter(
        (text) => text !== '' && (known.length === 0 || (Array.isArray(understood[name]) && !known.includes(text))),
      )
      .map((text) => ({ said: `${name}=${text}`, instead: INSTEAD[name] ?? 'ignored' }));
  });
}

const toList = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());
const rawText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
