// Records that somebody means who types: by the beginning of a name, or by words.
import type { ListedRecord } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { ALL_BUT_SHAPES } from '../shape/all-but-shapes.ts';

const FOUND = 10;
/** Of so many shapes each is asked for by itself; of more, what is found is looked through. */
const SHAPES_ASKED = 4;

interface Asked {
  readonly sight: Sight;
  readonly words: string;
  readonly shape: string | undefined;
  readonly includeRetracted: boolean;
  readonly signal: AbortSignal;
}

export interface FindChoice {
  /** Only of these, if any are given. */
  readonly shapes?: readonly string[] | undefined;
  readonly includeRetracted?: boolean;
}

/** Whose name begins like the words, then those that hold them; without words, some. */
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

const optionsOf = ({ sight, shape, includeRetracted, signal }: Asked) => ({
  signal,
  ...(includeRetracted && { includeRetracted }),
  limit: FOUND,
  fields: ['name'],
  ...(shape !== undefined && { shape }),
  ...atOf(sight),
});

/** What a name may hold; anything else a glob refuses. */
const NAME_PART = /^[^\s?#@:$+%\\*]*$/u;

async function named(asked: Asked): Promise<readonly ListedRecord[]> {
  const { sight, words, shape = '*' } = asked;
  if (!NAME_PART.test(words)) return [];
  const match = words === '' ? ALL_BUT_SHAPES : words.includes('/') ? `${words}**` : `${shape}/${words}**`;
  const { items } = await client.thing.head(sight.orgName, sight.repoName, { ...optionsOf(asked), match });
  return items;
}

/** Words can be searched for in what is there now alone. */
async function holding(asked: Asked): Promise<readonly ListedRecord[]> {
  const { sight, words } = asked;
  if (sight.at !== undefined || !/[\p{L}\p{N}]$/u.test(words)) return [];
  const { items } = await client.thing.search(sight.orgName, sight.repoName, `${words}*`, optionsOf(asked));
  return items;
}

/** What is retracted comes last. */
const distinct = (records: readonly ListedRecord[]) =>
  [...new Map(records.filter(({ kind }) => kind !== 'shape').map((record) => [record.durableId, record])).values()]
    .sort((a, b) => Number(b.active) - Number(a.active))
    .slice(0, FOUND);
