import { fieldName } from '@cairn/model/declaration';
import { codePointLength, isJsonObject, type JsonObject } from '@cairn/model/json';

const LIMITS = { number: ['minimum', 'maximum'], string: ['minLength', 'maxLength', 'pattern'] } as const;
type Limited = keyof typeof LIMITS;
export type Limit = (typeof LIMITS)[Limited][number];

export interface Limits extends Readonly<Partial<Record<Limit, string>>> {
  readonly integer?: boolean;
}

const isLimited = (type: string): type is Limited => Object.hasOwn(LIMITS, type);

export function limitsIn(keywords: JsonObject): { readonly limits: Limits; readonly rest: JsonObject } {
  const { minimum, maximum, minLength, maxLength, pattern, integer, ...rest } = keywords;
  const told = Object.entries({ minimum, maximum, minLength, maxLength, pattern }).filter(
    ([, value]) => value !== undefined,
  );
  const texts = Object.fromEntries(told.map(([name, value]) => [name, String(value)]));
  return { limits: { ...texts, ...(integer === true && { integer }) }, rest };
}

/** Limits of another type were typed before the type changed. */
export function keywordsOf(type: string, limits: Limits): JsonObject {
  if (!isLimited(type)) return {};
  const own = LIMITS[type].flatMap((name): [string, unknown][] => {
    const text = limits[name] ?? '';
    if (name === 'pattern') return text === '' ? [] : [[name, text]];
    return text.trim() === '' ? [] : [[name, Number(text)]];
  });
  return { ...Object.fromEntries(own), ...(type === 'number' && limits.integer && { integer: true }) };
}

const CALLED = {
  minimum: 'minimum',
  maximum: 'maximum',
  minLength: 'minimum length',
  maxLength: 'maximum length',
} as const;
const ENDS = { number: ['minimum', 'maximum'], string: ['minLength', 'maxLength'] } as const;

export function limitProblems(type: string, limits: Limits): Readonly<Partial<Record<Limit, string>>> {
  if (!isLimited(type)) return {};
  const keywords = keywordsOf(type, limits);
  const isLength = type === 'string';
  const unfit = ENDS[type].filter((name) => keywords[name] !== undefined && !isFit(keywords[name], isLength));
  if (unfit.length > 0) {
    const told = (name: keyof typeof CALLED) => `the ${CALLED[name]} is not a ${isLength ? 'whole ' : ''}number`;
    return Object.fromEntries(unfit.map((name) => [name, told(name)]));
  }
  const [least, most] = ENDS[type];
  const isTurned = Number(keywords[least]) > Number(keywords[most]);
  return isTurned ? { [least]: `the ${CALLED[least]} is greater than the ${CALLED[most]}` } : {};
}

const isFit = (value: unknown, isLength: boolean): boolean =>
  isLength ? Number.isSafeInteger(value) && Number(value) >= 0 : Number.isFinite(value);

export function misfitOf(type: string, limits: Limits, value: string): string | undefined {
  if (!isLimited(type)) return undefined;
  const keywords = keywordsOf(type, limits);
  const [least, most] = ENDS[type];
  const [below, above] = type === 'string' ? ['shorter', 'longer'] : ['less', 'more'];
  const size = type === 'string' ? codePointLength(value) : Number(value);
  if (keywords.integer === true && !Number.isInteger(size)) return 'is not a whole number';
  // A missing limit compares as NaN.
  if (size < Number(keywords[least])) return `is ${below} than the ${CALLED[least]}`;
  return size > Number(keywords[most]) ? `is ${above} than the ${CALLED[most]}` : undefined;
}

// Parts with this prefix hold one field each, because edits of shapes are merged field by field.
const FIELD = 'fields.';

export function partsOf(kind: string, data: unknown): unknown {
  if (kind !== 'shape' || !isJsonObject(data) || !isJsonObject(data.fields)) return data;
  const { fields, ...others } = data;
  const parts = Object.entries(fields as JsonObject).map(([key, definition]): [string, JsonObject] => [
    `${FIELD}${fieldName(key)}`,
    { [key]: definition },
  ]);
  return { ...others, ...Object.fromEntries(parts) };
}

export const fieldNamed = (part: string): string | undefined =>
  part.startsWith(FIELD) ? part.slice(FIELD.length) : undefined;

export function wholeOf(kind: string, parts: unknown): unknown {
  if (kind !== 'shape' || !isJsonObject(parts)) return parts;
  const fields = Object.entries(parts).filter(([name]) => name.startsWith(FIELD));
  const others = Object.entries(parts).filter(([name]) => !name.startsWith(FIELD));
  return { ...Object.fromEntries(others), fields: Object.assign({}, ...fields.map(([, field]) => field)) };
}
