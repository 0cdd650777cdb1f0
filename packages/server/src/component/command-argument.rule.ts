// The arguments of a component's method, held against what its manifest declares.
import type { MethodArgument } from '@cairn/protocol/manifest';

type ArgumentValue = string | number | boolean;

export interface ArgumentProblem {
  readonly path: string;
  readonly message: string;
}

export interface ReadArguments {
  /** In the order of the manifest, with its defaults. */
  readonly values: ReadonlyMap<string, ArgumentValue>;
  /** All that is wrong, at once. */
  readonly problems: readonly ArgumentProblem[];
}

export function readArguments(
  declared: readonly MethodArgument[],
  given: Readonly<Record<string, unknown>>,
): ReadArguments {
  const values = new Map<string, ArgumentValue>();
  const problems = unknownArguments(declared, given);
  for (const argument of declared) {
    const { name, required } = argument;
    const value = Object.hasOwn(given, name) ? given[name] : argument.default;
    const message = value === undefined ? missing(required) : problemOf(argument, value);
    if (message !== undefined) problems.push({ path: `args.${name}`, message });
    else if (value !== undefined) values.set(name, value as ArgumentValue);
  }
  return { values, problems };
}

function missing(required: boolean): string | undefined {
  return required ? 'This argument is required.' : undefined;
}

function unknownArguments(
  declared: readonly MethodArgument[],
  given: Readonly<Record<string, unknown>>,
): ArgumentProblem[] {
  const known = declared.map(({ name }) => name);
  const message = `The method has no such argument. It takes ${known.length === 0 ? 'none' : known.join(', ')}.`;
  return Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: `args.${name}`, message }));
}

function problemOf({ type, enum: choices, min, max }: MethodArgument, value: unknown): string | undefined {
  if (!isOfType(type, value)) return `Expected ${TYPES[type]}.`;
  if (choices !== undefined && !choices.includes(value)) return `Expected one of ${choices.join(', ')}.`;
  if (typeof value !== 'number') return undefined;
  if (min !== undefined && value < min) return `Expected at least ${min}.`;
  return max !== undefined && value > max ? `Expected at most ${max}.` : undefined;
}

const TYPES = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
} as const satisfies Record<MethodArgument['type'], string>;

function isOfType(type: MethodArgument['type'], value: unknown): value is ArgumentValue {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}
