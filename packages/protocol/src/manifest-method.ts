// The arguments of a component's methods: whether what is said of their values can hold.
import type { ManifestProblem } from './component.ts';
import type { Manifest, MethodArgument } from './manifest.ts';
import { repeated } from './manifest-reference.ts';

const problem = (path: string, message: string): ManifestProblem => ({ path, message });

export function methodProblems({ cli }: Manifest): ManifestProblem[] {
  return (cli?.methods ?? []).flatMap(({ args }, method) => {
    const path = `cli.methods.${method}.args`;
    const names = args.map(({ name }) => name);
    return [
      ...repeated(names, (at) => `${path}.${at}.name`),
      ...args.flatMap((argument, at) => argumentProblems(argument, `${path}.${at}`)),
    ];
  });
}

function argumentProblems(argument: MethodArgument, path: string): ManifestProblem[] {
  return [...rangeProblems(argument, path), ...choiceProblems(argument, path), ...defaultProblems(argument, path)];
}

function rangeProblems({ type, min, max }: MethodArgument, path: string): ManifestProblem[] {
  const isNumber = type === 'number' || type === 'integer';
  const bounds = Object.entries({ min, max }).filter(([, bound]) => bound !== undefined);
  if (!isNumber) {
    return bounds.map(([key]) =>
      problem(`${path}.${key}`, `only numbers have a ${key}, and this is a ${type}: leave it out`),
    );
  }
  if (min === undefined || max === undefined || min <= max) return [];
  return [problem(`${path}.min`, `expected at most ${max}, which is the max`)];
}

function choiceProblems(argument: MethodArgument, path: string): ManifestProblem[] {
  return (argument.enum ?? []).flatMap((choice, at) => {
    if (isOfType(argument, choice)) return [];
    return [problem(`${path}.enum.${at}`, `expected ${AN[argument.type]}, as the argument is`)];
  });
}

function defaultProblems(argument: MethodArgument, path: string): ManifestProblem[] {
  const { default: given, required, type } = argument;
  if (given === undefined) return [];
  const at = `${path}.default`;
  if (required) return [problem(at, 'an argument that is required has no default: leave out one of the two')];
  if (!isOfType(argument, given)) return [problem(at, `expected ${AN[type]}, as the argument is`)];
  const wrong = valueProblem(argument, given);
  return wrong === undefined ? [] : [problem(at, wrong)];
}

const AN = { string: 'a string', number: 'a number', integer: 'an integer', boolean: 'true or false' } as const;

function isOfType({ type }: MethodArgument, value: unknown): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

/** Of a value of its type. */
function valueProblem(
  { min, max, enum: choices }: MethodArgument,
  value: string | number | boolean,
): string | undefined {
  if (choices !== undefined && !choices.includes(value)) return `expected one of ${choices.join(', ')}`;
  if (min !== undefined && Number(value) < min) return `expected at least ${min}`;
  if (max !== undefined && Number(value) > max) return `expected at most ${max}`;
  return undefined;
}
