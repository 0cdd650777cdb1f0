// Records as they are compared, whether the store or the model tells of them.
import type { RecordItem } from '@cairn/protocol/record';

export interface ShownRecord {
  readonly name: string;
  readonly kind: string;
  readonly version: number;
  readonly active: boolean;
  /** By name and by identity. */
  readonly about: readonly (string | undefined)[] | undefined;
  readonly data: unknown;
  /** Each reference with its place. */
  readonly identities: ReadonlySet<string>;
}

export function shownItem({
  name,
  kind,
  version,
  active,
  data,
  refs = [],
  aboutWref,
  aboutDurableId,
}: RecordItem): ShownRecord {
  const about = aboutWref === undefined || aboutWref === null ? undefined : [aboutWref, aboutDurableId];
  const identities = refs.map(([path, identity]) => [isInNoOrder(name) ? '' : path, identity].join(' '));
  const shown = isBuiltIn(name) ? undefined : withoutOrder(name, data);
  return { name, kind, version, active, about, data: shown, identities: new Set(identities) };
}

const isBuiltIn = (name: string) => ['Arc', 'Bond', 'Set', 'List', 'Pair'].includes(name);

export const isInNoOrder = (name: string) => /^(?:Bond|Set)\//.test(name);

/** The order of what has none is not compared. */
export function withoutOrder(name: string, data: unknown): unknown {
  if (!isInNoOrder(name)) return data;
  const held = data as Record<string, string[]>;
  return Object.fromEntries(Object.entries(held).map(([key, members]) => [key, members.toSorted()]));
}
