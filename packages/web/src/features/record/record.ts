// What the page of one record asks for.
import { pinWref } from '@cairn/model/wref';
import type { RecordItem, ReferenceItem } from '@cairn/sdk';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { findRetracted, WREFS_MOST } from '../records/found-records.ts';
import { findWhereabouts } from '../records/whereabouts.ts';
import { targetsOf } from './wref.ts';

const FIRST_PAGE = undefined as string | undefined;
const NAME_PLACE = 5;
const ASSERTIONS = 20;
const REFERENCES = 50;
const VERSIONS = 10;
const NAMES = 500;

const key = (sight: Sight, what: string, name: string) =>
  [...repositoryKey(sight), what, sight.at ?? 'now', name] as const;
const after = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });

/** A version of a record, or the newest; also when it is retracted. */
export const record = (sight: Sight, name: string, version?: number) =>
  queryOptions({
    queryKey: [...key(sight, 'record', name), version ?? 'newest'],
    queryFn: ({ signal }) =>
      client.thing.get(sight.orgName, sight.repoName, pinWref(name, version), {
        signal,
        includeRetracted: true,
        ...atOf(sight),
      }),
    // The same record at another sequence may stay until the answer is there; another record may not.
    placeholderData: (previous, query) => (query?.queryKey[NAME_PLACE] === name ? previous : undefined),
  });

/** Of a record that is not there: where it is. */
export const whereabouts = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: key(sight, 'whereabouts', name),
    queryFn: ({ signal }) => findWhereabouts(client, sight, { name, signal }),
  });

export const shapeOfRecord = (sight: Sight, shapeName: string) =>
  queryOptions({
    queryKey: key(sight, 'shape-of-record', shapeName),
    queryFn: ({ signal }) =>
      client.shape.get(sight.orgName, sight.repoName, shapeName, { signal, includeRetracted: true, ...atOf(sight) }),
  });

/** The field set that a shape declares. */
export const fieldsIn = ({ data }: Pick<RecordItem, 'data'>): unknown =>
  typeof data === 'object' && data !== null && 'fields' in data ? data.fields : undefined;

/** Newest first. */
export const said = (sight: Sight, wref: string) =>
  infiniteQueryOptions({
    queryKey: key(sight, 'said', wref),
    queryFn: ({ signal, pageParam }) =>
      client.thing.about(sight.orgName, sight.repoName, wref, {
        signal,
        limit: ASSERTIONS,
        order: '-updated',
        ...atOf(sight),
        ...after(pageParam),
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** How much is said about a record. Those that are asked for at one moment go in one request. */
export const saidCount = (sight: Sight, wref: string) =>
  queryOptions({
    queryKey: key(sight, 'said-count', wref),
    queryFn: async ({ signal }) => {
      const { orgName, repoName } = sight;
      const { count } = await client.thing.count(orgName, repoName, { signal, about: wref, ...atOf(sight) });
      return count;
    },
    // The SDK has tried already, and what is said can be read without.
    retry: false,
  });

/** Of what a version of a record refers to here: what is retracted, by durable ID. */
export const retractedTargets = (sight: Sight, item: RecordItem) =>
  queryOptions({
    queryKey: [...key(sight, 'retracted-targets', item.durableId), item.version],
    queryFn: ({ signal }) => findRetracted(sight, targetsOf(item).slice(0, WREFS_MOST), signal),
    enabled: targetsOf(item).length > 0,
    // The SDK has tried already, and a page without marks can be read too.
    retry: false,
  });

export type Direction = 'in' | 'out';

export const references = (sight: Sight, wref: string, direction: Direction) =>
  infiniteQueryOptions({
    queryKey: [...key(sight, 'references', wref), direction],
    queryFn: ({ signal, pageParam }) =>
      client.thing.refs(sight.orgName, sight.repoName, wref, {
        signal,
        direction,
        limit: REFERENCES,
        ...atOf(sight),
        ...after(pageParam),
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** Newest first. */
export const versions = (sight: Sight, name: string) =>
  infiniteQueryOptions({
    queryKey: key(sight, 'versions', name),
    queryFn: ({ signal, pageParam }) =>
      client.thing.history(sight.orgName, sight.repoName, name, {
        signal,
        limit: VERSIONS,
        ...atOf(sight),
        ...after(pageParam),
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** What it was called, oldest first; of a record that is renamed without end, the first names. */
export const names = (sight: Sight, name: string) =>
  queryOptions({
    queryKey: key(sight, 'names', name),
    queryFn: ({ signal }) =>
      client.thing.names(sight.orgName, sight.repoName, name, { signal, limit: NAMES, ...atOf(sight) }).page(),
  });

/** What one commit changed in the data of a record, which does not change any more. */
export const changeOf = (sight: Sight, durableId: string, repoSeq: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'change-of', repoSeq, durableId],
    queryFn: ({ signal }) =>
      client.thing.diff(sight.orgName, sight.repoName, durableId, {
        signal,
        sinceRepoSeq: repoSeq - 1,
        atRepoSeq: repoSeq,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

// References by their role, and what a role is called for people.

const LABELS: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
  out: { about: 'It is about', field: 'In its fields' },
  in: { about: 'Said about it', field: 'In fields of' },
};

interface ReferenceGroup {
  readonly label: string;
  readonly references: readonly ReferenceItem[];
}

/** In the order in which their roles come first. */
export function groupByRole(references: readonly ReferenceItem[], direction: Direction): ReferenceGroup[] {
  const groups = new Map<string, ReferenceItem[]>();
  for (const reference of references) {
    const group = groups.get(reference.role);
    if (group === undefined) groups.set(reference.role, [reference]);
    else group.push(reference);
  }
  return [...groups].map(([role, members]) => ({ label: labelOf(role, direction), references: members }));
}

/** All other roles are places in collections. */
const labelOf = (role: string, direction: Direction): string =>
  LABELS[direction][role] ?? (direction === 'out' ? `Its “${role}”` : `Collections that have it in “${role}”`);
