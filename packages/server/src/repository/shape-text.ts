// The fields of a shape in words, for readers who have never seen it.
import { CairnError } from '@cairn/protocol/errors';
import { pointerTo } from '@cairn/protocol/json-pointer';
import { attempt } from '../model/attempt.ts';
import { isJsonObject } from '../model/json-value.ts';
import type { Field, Fields } from '../shape/shape.rule.ts';
import { parseShape } from '../shape/shape-definition.rule.ts';
import { codeSpan, plainText } from './markdown.rule.ts';

const FIELDS_CHARACTERS_MAX = 1_500;
const NAME_CHARACTERS_MAX = 80;
const NOTE_CHARACTERS_MAX = 120;
const CHOICES_MAX = 12;

/** A field with the path that filters name it by. */
export interface FieldAt {
  readonly path: string;
  readonly field: Exclude<Field, { type: 'object' }>;
}

/** All fields, those of nested objects by their paths; none where the definition cannot be read. */
export function fieldsIn(definition: unknown): FieldAt[] {
  const shape = attempt(() => parseShape({ fields: withoutHidden(definition) }));
  return shape instanceof CairnError ? [] : flattened(shape.fields, []);
}

/** Where a field asks for shapes that the caller does not see, `null` stands for each of them. */
function withoutHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, withoutHidden(member)]);
  if (typeof value.type !== 'string' || !Object.hasOwn(value, 'shape')) return Object.fromEntries(entries);
  const { shape } = value;
  const seen = (Array.isArray(shape) ? shape : [shape]).filter((name) => name !== null);
  const others = entries.filter(([key]) => key !== 'shape');
  return Object.fromEntries(seen.length === 0 ? others : [...others, ['shape', seen]]);
}

function flattened(fields: Fields, parents: readonly string[]): FieldAt[] {
  return [...fields].flatMap(([name, field]) => {
    const place = [...parents, name];
    return field.type === 'object' ? flattened(field.fields, place) : [{ path: pathOf(place), field }];
  });
}

/** Dotted, as people write it, where no name has a sign in it that a path gives a meaning to. */
function pathOf(names: readonly string[]): string {
  return names.some((name) => /[./]/.test(name)) ? names.reduce(pointerTo, '') : names.join('.');
}

/** As many as fit into a line that is still read. */
export function fieldsText(fields: readonly FieldAt[]): string {
  const texts: string[] = [];
  let characters = 0;
  for (const field of fields) {
    const text = fieldText(field);
    characters += text.length;
    if (characters > FIELDS_CHARACTERS_MAX && texts.length > 0) break;
    texts.push(text);
  }
  const left = fields.length - texts.length;
  return [...texts, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function fieldText({ path, field }: FieldAt): string {
  const { description } = field;
  const facts = [typeText(field), ...(field.optional ? ['optional'] : []), ...limitsOf(field)];
  const note = description === undefined ? '' : ` (${plainText(description, NOTE_CHARACTERS_MAX)})`;
  return `${codeSpan(path, NAME_CHARACTERS_MAX)} ${facts.join(', ')}${note}`;
}

function typeText(field: Field): string {
  switch (field.type) {
    case 'wref':
      return field.shapes === undefined ? 'wref' : `wref to ${choicesText(field.shapes, 'or')}`;
    case 'array':
      return field.items === undefined ? 'array' : `array of ${typeText(field.items)}`;
    case 'object':
      return `object of ${choicesText([...field.fields.keys()], 'and')}`;
    default:
      return field.type;
  }
}

function limitsOf(field: Field): string[] {
  const limits: string[] = [];
  if ('enum' in field && field.enum !== undefined) limits.push(`one of ${choicesText(field.enum, 'or')}`);
  if (field.type === 'number') {
    if (field.integer) limits.push('whole');
    if (field.minimum !== undefined) limits.push(`from ${field.minimum}`);
    if (field.maximum !== undefined) limits.push(`up to ${field.maximum}`);
  }
  if ('indexed' in field && field.indexed) limits.push('indexed');
  return limits;
}

function choicesText(choices: readonly unknown[], word: string): string {
  const shown = choices.slice(0, CHOICES_MAX).map((choice) => codeSpan(String(choice), NAME_CHARACTERS_MAX));
  const left = choices.length - shown.length;
  return left > 0 ? `${shown.join(', ')} ${word} ${left} others` : joined(shown, word);
}

function joined(texts: readonly string[], word: string): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}
