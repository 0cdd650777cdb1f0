import { CairnError } from '@cairn/sdk';
import { problemOf } from '../app/problem.ts';
import { fieldDetailText, isDetail, joinTexts, pointerOf } from './refusal-text.ts';

/** Keys are the server's pointers, such as `/data/label`. */
export interface Problems {
  readonly byPath: ReadonlyMap<string, string>;
  readonly whole: string | undefined;
}

type ByCode = Readonly<Record<string, string | undefined>>;

export const NO_PROBLEMS: Problems = { byPath: new Map(), whole: undefined };

// `fields` lists the pointers that have a control, which also shows problems below them. `byCode` maps errors without a
// pointer, such as a taken name.
export function problemsOf(error: unknown, fields: readonly string[], byCode: ByCode = {}): Problems {
  if (error === null || error === undefined) return NO_PROBLEMS;
  const field = error instanceof CairnError ? byCode[error.code] : undefined;
  if (field !== undefined && error instanceof CairnError) {
    return { byPath: new Map([[field, problemOf(error).advice]]), whole: undefined };
  }
  const details = error instanceof CairnError && Array.isArray(error.details) ? error.details.filter(isDetail) : [];
  const byPath = new Map<string, string>();
  const others: string[] = [];
  for (const detail of details) {
    const field = nearest(pointerOf(detail), fields);
    if (field === undefined) others.push(fieldDetailText(detail));
    else byPath.set(field, joinTexts([byPath.get(field) ?? [], detail.message].flat()));
  }
  if (details.length === 0) return { byPath, whole: problemOf(error).advice };
  return { byPath, whole: others.length === 0 ? undefined : joinTexts(others) };
}

function nearest(pointer: string, fields: readonly string[]): string | undefined {
  const fitting = fields.filter((field) => pointer === field || pointer.startsWith(`${field}/`));
  return fitting.sort((one, other) => other.length - one.length)[0];
}
