import { pinWref } from '@cairn/model/wref';
import type { RecordItem, ReferenceItem } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { OPTIONAL, paged, readAt, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { findRetracted, WREFS_MOST } from '../records/found-records.ts';
import { findWhereabouts } from '../records/whereabouts.ts';
import { targetsOf } from './wref.ts';

const NAME_PLACE = 5;
const ASSERTIONS = 20;
const VERSIONS = 10;
const NAMES = 500;

const key = (sight: Sight, what: string, name: string) =>
  [...repositoryKey(sight), what, sight.at ?? 'now', name] as const;

export const record = (sight: Sight, name: string, version?: number) =>
  queryOptions({
    queryKey: [...key(sight, 'record', name), version ?? 'newest'],
    queryFn: ({ signal }) =>
      client.thing.get(sight.orgName, sight.repoName, pinWref(name, version), {
        signal,
        includeRetracted: true,
        ...atOf(sight),
      }),
    // Placeholder data must be of the same record.
    placeholderData: (previous, query) => (query?.queryKey[NAME_PLACE] === name ? previous : undefined),
  });

export const whereabouts = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: key(sight, 'whereabouts', name),
    queryFn: ({ signal }) => findWhereabouts(client, sight, { name, signal }),
  });

export const fieldsIn = ({ data }: Pick<RecordItem, 'data'>): unknown =>
  typeof data === 'object' && data !== null && 'fields' in data ? data.fields : undefined;

export const said = (sight: Sight, wref: string) =>
  paged(
    key(sight, 'said', wref),
    (asked) => client.thing.about(sight.orgName, sight.repoName, wref, { ...asked, order: '-updated', ...atOf(sight) }),
    ASSERTIONS,
  );

export const saidCount = (sight: Sight, wref: string) => ({
  ...readAt(sight, ['said-count', wref], async (asked, where) => {
    const { count } = await client.thing.count(...where, { ...asked, about: wref });
    return count;
  }),
  ...OPTIONAL,
});

export const retractedTargets = (sight: Sight, item: RecordItem) =>
  queryOptions({
    queryKey: [...key(sight, 'retracted-targets', item.durableId), item.version],
    queryFn: ({ signal }) => findRetracted(sight, targetsOf(item).slice(0, WREFS_MOST), signal),
    enabled: targetsOf(item).length > 0,
    ...OPTIONAL,
  });

export type Direction = 'in' | 'out';

export const references = (sight: Sight, wref: string, direction: Direction) =>
  paged([...key(sight, 'references', wref), direction], (asked) =>
    client.thing.refs(sight.orgName, sight.repoName, wref, { ...asked, direction, ...atOf(sight) }),
  );

export const versions = (sight: Sight, name: string) =>
  paged(
    key(sight, 'versions', name),
    (asked) => client.thing.history(sight.orgName, sight.repoName, name, { ...asked, ...atOf(sight) }),
    VERSIONS,
  );

/** Oldest first, and only the first names of a record that is renamed often. */
export const names = (sight: Sight, name: string) =>
  readAt(sight, ['names', name], (asked, where) =>
    client.thing.names(...where, name, { ...asked, limit: NAMES }).page(),
  );

const LABELS: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
  out: { about: 'About', field: 'In fields' },
  in: { about: 'Assertions', field: 'In fields of' },
};

interface ReferenceGroup {
  readonly label: string;
  readonly references: readonly ReferenceItem[];
}

export function groupByRole(references: readonly ReferenceItem[], direction: Direction): ReferenceGroup[] {
  const groups = Map.groupBy(references, ({ role }) => role);
  return [...groups].map(([role, members]) => ({ label: labelOf(role, direction), references: members }));
}

const labelOf = (role: string, direction: Direction): string =>
  LABELS[direction][role] ?? (direction === 'out' ? `In “${role}”` : `Collections, in “${role}”`);
