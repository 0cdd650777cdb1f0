import type { ChoiceValue } from '@cairn/model/declaration';
import type { FormField } from './form-field.ts';

export interface Offered {
  readonly label: string;
  readonly detail?: string;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Offered[];
}

export interface Cursor {
  readonly text: string;
  readonly place: number;
  readonly isAsked: boolean;
}

export type Complete = (cursor: Cursor) => Completions | undefined;

/** Replaces the closing quote that was inserted automatically. */
export function offered(
  text: string,
  { from, to }: { from: number; to: number },
  options: readonly Offered[],
): Completions {
  const isClosed = text[from] === '"' && text[to] === '"' && to > from;
  return { from, to: isClosed ? to + 1 : to, options };
}

const AT_VALUE = /"([^"\\]+)"\s*:\s*("?[^",[\]{}:]*)$/;
const AT_NAME = /[{,]\s*("?[^",:{}]*)$/;

export const dataCompletion =
  (fields: readonly FormField[]): Complete =>
  ({ text, place, isAsked }) => {
    const before = text.slice(0, place);
    const [, name, value] = AT_VALUE.exec(before) ?? [];
    if (name !== undefined && value !== undefined) {
      const choices = choicesOf(fields.find((field) => field.name === name));
      if (choices.length === 0 || (value === '' && !isAsked)) return undefined;
      return offered(text, { from: place - value.length, to: place }, choices);
    }
    const [, begun] = AT_NAME.exec(before) ?? [];
    if (begun === undefined || (begun === '' && !isAsked)) return undefined;
    const left = fields.filter((field) => !text.includes(`${JSON.stringify(field.name)}:`));
    return offered(
      text,
      { from: place - begun.length, to: place },
      left.map((field): Offered => ({ label: `${JSON.stringify(field.name)}: `, detail: field.input.type })),
    );
  };

function choicesOf(field: FormField | undefined): Offered[] {
  if (field?.input.type === 'boolean') return [true, false].map(toOffered);
  return field?.input.type === 'choice' ? field.input.choices.map(toOffered) : [];
}

const toOffered = (choice: ChoiceValue): Offered => ({ label: JSON.stringify(choice) });
