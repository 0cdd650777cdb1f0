// Details of what happened, which the server keeps as JSON, as people read them.
import { timeText } from '@cairn/protocol/time-text';
import { isObject } from '../features/shape/declaration.ts';

export interface Detail {
  /** As the server has it. */
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

/** One for each that says something. */
export const detailsOf = (details: Readonly<Record<string, unknown>>): readonly Detail[] =>
  Object.entries(details).map(([name, value]) => ({ name, label: labelOf(name), text: textOf(name, value) }));

/** `repoName` as `repo name`. What is no name of ours stays as it is: `Signal/a`, `WEBHOOK_API_KEY`. */
const labelOf = (name: string): string =>
  /^[a-z][A-Za-z]*$/.test(name) ? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return name.endsWith('At') ? timeText(value) : value.toLocaleString('en');
  if (Array.isArray(value)) return listText(value.map((one) => textOf(name, one)));
  if (!isObject(value)) return String(value);
  return listText(Object.entries(value).map(([key, one]) => `${labelOf(key)} ${textOf(key, one)}`));
}

const listText = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));
