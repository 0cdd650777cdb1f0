// Subjects of assertions by shape, taken from the latest ones: the server has no count.
import { splitWref } from '@cairn/model/wref';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';

export const SAID_MOST = 200;

export const saidOptions = (sight: Sight, shape?: string) => ({
  kind: 'assertion' as const,
  ...(shape !== undefined && { shape }),
  order: '-updated' as const,
  limit: SAID_MOST,
  ...atOf(sight),
});

export const saidAbout = (sight: Sight, shape?: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'said-about', sight.at ?? 'now', shape ?? ''],
    queryFn: async ({ signal }): Promise<{ readonly pairs: readonly SaidAbout[]; readonly isAll: boolean }> => {
      const options = { ...saidOptions(sight, shape), fields: ['name'], signal };
      const { items, nextCursor } = await client.thing.head(sight.orgName, sight.repoName, options);
      return { pairs: tallyAbout(items), isAll: nextCursor === undefined };
    },
    placeholderData: keepPreviousData,
  });

export const ELSEWHERE = { otherRepository: '(other repository)', shape: '(shape)', hidden: '(hidden)' } as const;

export interface SaidAbout {
  readonly from: string;
  /** A shape, or one of `ELSEWHERE`, which no shape can be called. */
  readonly to: string;
  readonly count: number;
}

interface Assertion {
  readonly shapeName?: string | undefined;
  readonly aboutWref?: string | null | undefined;
}

export function tallyAbout(assertions: readonly Assertion[]): SaidAbout[] {
  const counts = new Map<string, SaidAbout>();
  for (const { shapeName: from, aboutWref } of assertions) {
    if (from === undefined) continue;
    const to = shapeOf(aboutWref);
    const { count } = counts.get(`${from} ${to}`) ?? { count: 0 };
    counts.set(`${from} ${to}`, { from, to, count: count + 1 });
  }
  return [...counts.values()].sort((one, other) => other.count - one.count || (one.to < other.to ? -1 : 1));
}

function shapeOf(aboutWref: string | null | undefined): string {
  if (aboutWref === null || aboutWref === undefined) return ELSEWHERE.hidden;
  const { repoName, name } = splitWref(aboutWref);
  if (repoName !== undefined) return ELSEWHERE.otherRepository;
  const [shape, ...local] = name.split('/');
  return shape === undefined || local.length === 0 ? ELSEWHERE.shape : shape;
}

export const isShapeHere = ({ to }: SaidAbout): boolean => !(Object.values(ELSEWHERE) as string[]).includes(to);
