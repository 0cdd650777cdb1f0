import type { ListedRecord } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { OPTIONAL, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { ALL_BUT_SHAPES } from '../shape/declaration.ts';

const FOUND = 10;
/** Up to this many shapes are searched one by one; beyond, results are filtered. */
const SHAPES_ASKED = 4;

interface RecordQuery {
  readonly sight: Sight;
  readonly words: string;
  readonly shape: string | undefined;
  readonly includeRetracted: boolean;
  readonly signal: AbortSignal;
}

interface FindChoice {
  readonly shapes?: readonly string[] | undefined;
  readonly includeRetracted?: boolean;
}

export const foundRecords = (sight: Sight, words: string, { shapes = [], includeRetracted = false }: FindChoice = {}) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'found-records', sight.at ?? 'now', words, shapes.join(' '), includeRetracted],
    queryFn: async ({ signal }) => {
      const each = shapes.length > 0 && shapes.length <= SHAPES_ASKED ? shapes : [undefined];
      const asked = each.map((shape) => ({ sight, words, shape, includeRetracted, signal }));
      const found = (await Promise.all([...asked.map(named), ...asked.map(holding)])).flat();
      return distinct(found.filter(({ shapeName = '' }) => shapes.length === 0 || shapes.includes(shapeName)));
    },
    placeholderData: keepPreviousData,
  });

const optionsOf = ({ sight, shape, includeRetracted, signal }: RecordQuery) => ({
  signal,
  ...(includeRetracted && { includeRetracted }),
  limit: FOUND,
  fields: ['name'],
  ...(shape !== undefined && { shape }),
  ...atOf(sight),
});

const NAME_PART = /^[^\s?#@:$+%\\*]*$/u;

async function named(asked: RecordQuery): Promise<readonly ListedRecord[]> {
  const { sight, words, shape = '*' } = asked;
  if (!NAME_PART.test(words)) return [];
  const match = words === '' ? ALL_BUT_SHAPES : words.includes('/') ? `${words}**` : `${shape}/${words}**`;
  const { items } = await client.thing.head(sight.orgName, sight.repoName, { ...optionsOf(asked), match });
  return items;
}

/** The search index covers the present only. */
async function holding(asked: RecordQuery): Promise<readonly ListedRecord[]> {
  const { sight, words } = asked;
  if (sight.at !== undefined || !/[\p{L}\p{N}]$/u.test(words)) return [];
  const { items } = await client.thing.search(sight.orgName, sight.repoName, `${words}*`, optionsOf(asked));
  return items;
}

const distinct = (records: readonly ListedRecord[]) =>
  [...new Map(records.filter(({ kind }) => kind !== 'shape').map((record) => [record.durableId, record])).values()]
    .sort((a, b) => Number(b.active) - Number(a.active))
    .slice(0, FOUND);

interface TypedName {
  readonly typed: string;
  readonly take: (name: string) => string;
}

export function pieceOf(value: string, isList: boolean): TypedName {
  const start = isList ? value.lastIndexOf(',') + 1 : 0;
  return { typed: value.slice(start), take: (name) => `${value.slice(0, start)}${name}` };
}

const DURABLE_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

export const isBareName = (typed: string): boolean => {
  const name = typed.trim();
  return name !== '' && !name.includes('/') && !DURABLE_ID.test(name);
};

export const meantBy = <Named extends { readonly name: string }>(
  typed: string,
  records: readonly Named[],
): Named | undefined => records.find(({ name }) => name.slice(name.indexOf('/') + 1) === typed.trim()) ?? records[0];

const PAGE = 10;

export function stepTo(key: string, from: number, length: number): number | undefined {
  const within = (place: number) => Math.max(0, Math.min(length - 1, place));
  if (key === 'ArrowDown') return within(from + 1);
  if (key === 'ArrowUp') return within(from - 1);
  if (key === 'PageDown') return within(from + PAGE);
  if (key === 'PageUp') return within(from - PAGE);
  if (key === 'Home') return 0;
  return key === 'End' ? within(length - 1) : undefined;
}

/** The limit of one call. */
export const WREFS_MOST = 500;

export async function findRetracted(sight: Sight, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const { orgName, repoName } = sight;
  const starts = Array.from({ length: Math.ceil(ids.length / WREFS_MOST) }, (_, part) => part * WREFS_MOST);
  const ask = (start: number) =>
    client.thing.getMany(orgName, repoName, ids.slice(start, start + WREFS_MOST), {
      signal,
      includeRetracted: true,
      ...atOf(sight),
    });
  const found = (await Promise.all(starts.map(ask))).flatMap(({ items }) => items);
  return found.flatMap((target) => (target === null || target.active ? [] : [target.durableId]));
}

export const retractedAmong = (sight: Sight, ids: readonly string[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'retracted-among', sight.at ?? 'now', ids.join(' ')],
    queryFn: ({ signal }) => findRetracted(sight, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    ...OPTIONAL,
  });
