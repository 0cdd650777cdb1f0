// The shapes that filters of subscriptions name: by name where they are given and shown, by id where they are kept.
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type StoredFilter, shapesIn, toShown, toStored } from './subscription-filter.rule.ts';

const FIND_SHAPES: BulkStatement = {
  single: true,
  each: `select record_id from name where repo_id = $1 and shape_id = 0 and name = $2 and to_seq is null`,
  set: `select k.ord::int as ord, n.record_id from unnest($2::text[]) with ordinality as k (name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.name collate "C" and to_seq is null limit 1) as n`,
};

/** The text that is kept. `watchedId` is the repository whose commits the filter is for. */
export async function storeFilter(
  reader: Reader,
  { watchedId, filter }: { watchedId: number; filter: SubscriptionFilter },
): Promise<string> {
  const names = shapesIn(filter);
  const rows = await reader.bulk<{ record_id: number }>(FIND_SHAPES, {
    common: [watchedId],
    rows: names.map((name) => [name]),
  });
  const ids = new Map(rows.map(({ ord, record_id }) => [names[ord] ?? '', record_id]));
  return JSON.stringify(toStored(filter, (name) => ids.get(name)));
}

const nameSet = (repo: string) => `select k.ord::int as ord, r.name
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord)
  cross join lateral (select name from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r`;

const FIND_NAMES: BulkStatement = {
  single: true,
  each: 'select name from record where repo_id = $1 and record_id = $2',
  set: nameSet('k.repo_id'),
  shard: { column: 0, set: nameSet('$3') },
};

export interface KeptFilter {
  readonly watchedId: number;
  readonly text: string | null;
}

/** In the order given. */
export async function showFilters(
  reader: Reader,
  kept: readonly KeptFilter[],
): Promise<(SubscriptionFilter | undefined)[]> {
  const filters = kept.map(({ text }) => (text === null ? undefined : (JSON.parse(text) as StoredFilter)));
  const shapes = kept.flatMap(({ watchedId }, at) =>
    shapesIn(filters[at] ?? {}).flatMap((shape) => (typeof shape === 'number' ? [[watchedId, shape] as const] : [])),
  );
  const rows = await reader.bulk<{ name: string }>(FIND_NAMES, { common: [], rows: shapes });
  const names = new Map(rows.map(({ ord, name }) => [String(shapes[ord]), name]));
  // What is gone together with its repository has no name any more.
  const nameOf = (watchedId: number) => (shapeId: number) => names.get(String([watchedId, shapeId])) ?? String(shapeId);
  return kept.map(({ watchedId }, at) => {
    const filter = filters[at];
    return filter && toShown(filter, nameOf(watchedId));
  });
}
