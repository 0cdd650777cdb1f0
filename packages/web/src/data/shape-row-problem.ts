// What is wrong with the form of a shape before anybody else must look at it.
import { choicesIn, type FieldRow } from './shape-draft.ts';
import { limitProblems } from './shape-limit.ts';
import type { RowPart } from './shape-row-path.ts';
import { plain } from './unseen.ts';

/** What follows a long one is to be read too. */
const NAME_SHOWN = 60;

/** By the control that it stands beside, in words that could follow the name of the field. */
export type RowProblems = Readonly<Partial<Record<RowPart | 'json', string>>>;

export function problemsIn(row: FieldRow): RowProblems {
  const { type, limits, json } = row;
  if (type === 'other') return isJson(json) ? {} : { json: 'the definition is not JSON yet' };
  const odd = type === 'number' ? choicesIn(row).find((one) => !Number.isFinite(Number(one))) : undefined;
  return {
    ...(odd !== undefined && { enum: `“${plain(odd, NAME_SHOWN)}” is not a number: write one value on each line` }),
    ...limitProblems(type, limits),
  };
}

/** Beside the control: what is not begun yet is not wrong there. */
export function besideIt(row: FieldRow, part: keyof RowProblems): string | undefined {
  const wrong = part === 'json' && row.json.trim() === '' ? undefined : problemsIn(row)[part];
  return wrong === undefined ? undefined : `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`;
}

/** The first of all, in a sentence that says where. */
export function rowProblem(rows: readonly FieldRow[]): string | undefined {
  const names = rows.map(({ name }) => name);
  if (names.some((name) => name.trim() === '')) return 'Give each field a name, or remove it.';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `Two fields are called ${plain(twice, NAME_SHOWN)}. Rename one of them.`;
  const [first] = rows.flatMap((row) =>
    Object.values(problemsIn(row)).map((wrong) => `In ${plain(row.name, NAME_SHOWN)}, ${wrong}.`),
  );
  return first;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
