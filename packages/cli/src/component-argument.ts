// What is given on the command line for the arguments of a method, by their types in the manifest. The server checks the
// same; here everything that is wrong is named before anything is sent.
import type { CliMethod, MethodArgument } from '@cairn/protocol/manifest';
import { UsageError } from './exit-codes.ts';

export function readArguments(
  { name: method, args = [] }: CliMethod,
  given: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const declared = new Map(args.map((argument) => [argument.name, argument]));
  const values: [string, unknown][] = [];
  const problems = args
    .filter(({ name, required }) => required && !given.has(name))
    .map(({ name }) => `--${name} is required`);
  for (const [name, text] of given) {
    const argument = declared.get(name);
    const value = argument === undefined ? undefined : typedValue(argument, text);
    const problem = argument === undefined ? unknown(name, [...declared.keys()]) : problemOf(argument, value);
    if (problem === undefined) values.push([name, value]);
    else problems.push(problem);
  }
  if (problems.length > 0) throw new UsageError(`${method}: ${problems.join('; ')}. See --help.`);
  return Object.fromEntries(values);
}

/** Undefined where the text is not of the type. */
function typedValue({ type }: MethodArgument, text: string): string | number | boolean | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined;
}

const TYPE_WORDS = { string: 'a text', number: 'a number', integer: 'a whole number', boolean: 'true or false' };

function problemOf({ name, type, min, max, enum: values }: MethodArgument, value: unknown): string | undefined {
  if (value === undefined) return `--${name} takes ${TYPE_WORDS[type]}`;
  if (values !== undefined && !values.includes(value as string)) return `--${name} is one of ${values.join(', ')}`;
  if (min !== undefined && (value as number) < min) return `--${name} is at least ${min}`;
  return max !== undefined && (value as number) > max ? `--${name} is at most ${max}` : undefined;
}

function unknown(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return `there is no argument ${name}: ${known}`;
}
