// Where a problem is told: beside what has to be chosen otherwise, or in place of the list.
import { CairnError } from '@cairn/sdk';
import type { RecordsSearch } from '../../app/search.ts';

export type ProblemPlace = 'words' | 'filters' | 'list';

const PLACES: Readonly<Record<string, ProblemPlace>> = { q: 'words', where: 'filters', shape: 'filters' };

export function placeOfProblem(error: unknown, { q, where }: RecordsSearch): ProblemPlace | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof CairnError)) return 'list';
  const path = pathOf(error.details);
  if (path !== undefined) return PLACES[path] ?? 'list';
  // What takes too long does so because of what was asked.
  if (error.code !== 'UNAVAILABLE') return 'list';
  return where !== undefined ? 'filters' : q !== undefined ? 'words' : 'list';
}

/** The parameter that the server complains of: `where`, or `where[0].op`. */
function pathOf(details: unknown): string | undefined {
  const [first] = Array.isArray(details) ? (details as { path?: unknown }[]) : [];
  return typeof first?.path === 'string' ? /^\/?(\w+)/.exec(first.path)?.[1] : undefined;
}

/** The server names the parameter, which a page does not show. */
export const wordsText = (advice: string): string => advice.replace(/^q\b/, 'What you typed');
