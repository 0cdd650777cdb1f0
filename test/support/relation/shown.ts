// A comparable form of records, from the store or from the model.
import type { RecordItem } from '@cairn/protocol/record';

export interface ShownRecord {
  readonly name: string;
  readonly kind: string;
  readonly version: number;
  readonly active: boolean;
  /** Name and identity. */
  readonly about: readonly (string | undefined)[] | undefined;
  readonly data: unknown;
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

/** Removes order where it has no meaning. */
export function withoutOrder(name: string, data: unknown): unknown {
  if (!isInNoOrder(name)) return data;
  const held = data as Record<string, string[]>;
  return Object.fromEntries(Object.entries(held).map(([key, members]) => [key, members.toSorted()]));
}
