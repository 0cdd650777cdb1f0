import { placeOf } from './wref.ts';

/** What cannot be named as a shape of the repository. */
export const ELSEWHERE = { otherRepository: '(other repository)', shape: '(shape)', hidden: '(hidden)' } as const;

export interface SaidAbout {
  /** The shape of the assertions. */
  readonly from: string;
  /** The shape of what they are about, or one of `ELSEWHERE`: no shape can be called like these. */
  readonly to: string;
  readonly count: number;
}

interface Assertion {
  readonly shapeName?: string | undefined;
  readonly aboutWref?: string | null | undefined;
}

/** The most frequent first. */
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
  const { repoName, name } = placeOf(aboutWref);
  if (repoName !== undefined) return ELSEWHERE.otherRepository;
  const [shape, ...local] = name.split('/');
  return shape === undefined || local.length === 0 ? ELSEWHERE.shape : shape;
}

export const isShapeHere = ({ to }: SaidAbout): boolean => !(Object.values(ELSEWHERE) as string[]).includes(to);
