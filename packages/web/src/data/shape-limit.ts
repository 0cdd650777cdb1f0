// The limits of a string or a number while a shape is edited: each as it is typed.
import type { Json } from './declaration.ts';

const LIMITS = {
  number: ['minimum', 'maximum'],
  string: ['minLength', 'maxLength', 'pattern'],
} as const;
type Limited = keyof typeof LIMITS;
export type Limit = (typeof LIMITS)[Limited][number];

export interface Limits extends Readonly<Partial<Record<Limit, string>>> {
  /** Of a number: whole ones alone. */
  readonly integer?: boolean;
}

const isLimited = (type: string): type is Limited => Object.hasOwn(LIMITS, type);

/** The limits among the keywords of a field, and the other keywords. */
export function limitsIn(keywords: Json): { readonly limits: Limits; readonly rest: Json } {
  const { minimum, maximum, minLength, maxLength, pattern, integer, ...rest } = keywords;
  const told = Object.entries({ minimum, maximum, minLength, maxLength, pattern }).filter(
    ([, value]) => value !== undefined,
  );
  const texts = Object.fromEntries(told.map(([name, value]) => [name, String(value)]));
  return { limits: { ...texts, ...(integer === true && { integer }) }, rest };
}

/** As keywords. Those of another type are left out: they were typed before the type was changed. */
export function keywordsOf(type: string, limits: Limits): Json {
  if (!isLimited(type)) return {};
  const own = LIMITS[type].flatMap((name): [string, unknown][] => {
    const text = limits[name] ?? '';
    if (name === 'pattern') return text === '' ? [] : [[name, text]];
    return text.trim() === '' ? [] : [[name, Number(text)]];
  });
  return { ...Object.fromEntries(own), ...(type === 'number' && limits.integer && { integer: true }) };
}

/** What is wrong with the limits, in words that follow the name of the field. */
export function limitProblem(type: string, limits: Limits): string | undefined {
  const keywords = keywordsOf(type, limits);
  const isLength = type === 'string';
  const [least, most] = isLength ? [keywords.minLength, keywords.maxLength] : [keywords.minimum, keywords.maximum];
  const [leastName, mostName] = isLength ? ['minimum length', 'maximum length'] : ['minimum', 'maximum'];
  for (const [value, name] of [
    [least, leastName],
    [most, mostName],
  ]) {
    if (value !== undefined && !isFit(value, isLength)) return `the ${name} is not a ${isLength ? 'whole ' : ''}number`;
  }
  const isTurned = typeof least === 'number' && typeof most === 'number' && least > most;
  return isTurned ? `the ${leastName} is more than the ${mostName}` : undefined;
}

const isFit = (value: unknown, isLength: boolean): boolean =>
  isLength ? Number.isSafeInteger(value) && Number(value) >= 0 : Number.isFinite(value);
