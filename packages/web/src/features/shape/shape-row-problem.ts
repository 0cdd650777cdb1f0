// What is wrong with the form of a shape before anybody else must look at it.
import { readJson } from '../change/json-text.ts';
import { plain } from '../repository/unseen.ts';
import { choicesIn, type FieldRow } from './shape-draft.ts';
import { limitProblems, misfitOf } from './shape-limit.ts';
import type { RowPart } from './shape-row-path.ts';

/** What follows a long one is to be read too. */
const NAME_SHOWN = 60;

/** By the control that it stands beside, in words that could follow the name of the field. */
export type RowProblems = Readonly<Partial<Record<RowPart | 'json', string>>>;

export function problemsIn(row: FieldRow): RowProblems {
  const { type, limits, json } = row;
  if (type === 'other') {
    if (json.trim() === '') return { json: 'the definition is to be written' };
    const read = readJson(json);
    return 'problem' in read ? { json: withinSentence(read.problem) } : {};
  }
  const choice = choiceProblem(row);
  return { ...(choice !== undefined && { enum: choice }), ...limitProblems(type, limits) };
}

const withinSentence = (problem: string): string =>
  problem
    .replace(/^This is/, 'the definition is')
    .replace(/^The /, 'the ')
    .replace(/\.$/, '');

/** Of the first value that nobody could write. A pattern is read by the server alone. */
function choiceProblem(row: FieldRow): string | undefined {
  const { type, limits } = row;
  const told = (value: string, wrong: string) => `“${plain(value, NAME_SHOWN)}” ${wrong}`;
  const values = choicesIn(row);
  const odd = type === 'number' ? values.find((one) => !Number.isFinite(Number(one))) : undefined;
  if (odd !== undefined) return told(odd, 'is not a number: write one value on each line');
  const [misfit] = values.flatMap((value) => {
    const wrong = misfitOf(type, limits, value);
    return wrong === undefined ? [] : [told(value, `${wrong}: change one of the two`)];
  });
  return misfit;
}

/** Beside the control: what is not begun yet is not wrong there. */
export function besideIt(row: FieldRow, part: keyof RowProblems): string | undefined {
  const wrong = part === 'json' && row.json.trim() === '' ? undefined : problemsIn(row)[part];
  return wrong === undefined ? undefined : `${wrong.charAt(0).toUpperCase()}${wrong.slice(1)}.`;
}

/** All of it, in sentences that say where. */
export function rowProblems(rows: readonly FieldRow[]): readonly string[] {
  const names = rows.map(({ name }) => name);
  const twice = new Set(names.filter((name, index) => name.trim() !== '' && names.indexOf(name) !== index));
  return [
    ...(names.some((name) => name.trim() === '') ? ['Give each field a name, or remove it.'] : []),
    ...[...twice].map((name) => `Two fields are called ${plain(name, NAME_SHOWN)}. Rename one of them.`),
    ...rows.flatMap((row, index) =>
      Object.entries(problemsIn(row)).map(([part, wrong]) => {
        const called = row.name.trim() === '' ? `field ${index + 1}` : plain(row.name, NAME_SHOWN);
        return `In ${called}${part === 'json' ? '' : ', under “More”'}, ${wrong}.`;
      }),
    ),
  ];
}
