// Checks a manifest as far as possible without its repository. The CLI uses it too.

import { problemWithGlob } from '@cairn/model/glob';
import { pointerTokens } from '@cairn/model/json-pointer';
import type { Problem } from '@cairn/model/problem';
import { isBuiltInShape, parseShape, type Shape } from '@cairn/model/shape';
import { compileShape } from '@cairn/model/shape-validator';
import { parseNewRecordName } from '@cairn/model/wref';
import type { ManifestProblem } from '@cairn/protocol/component';
import { CairnError } from '@cairn/protocol/errors';
import type {
  Manifest,
  ManifestSeed,
  ManifestShape,
  ManifestSubscription,
  MethodArgument,
} from '@cairn/protocol/manifest';
import { bounded, type ManifestReading, readManifest } from '@cairn/protocol/manifest/check';
import { isShapeName, sampled } from '@cairn/protocol/manifest/consistency';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import type { MINTED_TOKENS } from '@cairn/protocol/vocabulary';
import type { NarrowingEntry } from '../access/narrowing.rule.ts';
import { checkFilter } from '../action/subscription-filter.rule.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { FoundComponent } from './component.sql.ts';

const PLACE = { orgName: 'org', repoName: 'repo' };

export function checkManifest(json: unknown): ManifestReading {
  const reading = readManifest(json);
  if (reading.manifest === undefined) return reading;
  const manifest = expandManifest(reading.manifest, PLACE);
  const shapes = new Map<string, Shape>();
  const problems = [
    ...reading.problems,
    ...manifest.shapes.flatMap((shape, at) => shapeProblems(shape, `shapes.${at}`, shapes)),
    ...manifest.seeds.flatMap((seed, at) => seedProblems(seed, `seeds.${at}`, shapes)),
    ...filterProblems(manifest),
    ...globProblems(reading.manifest),
  ];
  return { ...reading, problems: bounded(problems) };
}

function shapeProblems(shape: ManifestShape, path: string, shapes: Map<string, Shape>): ManifestProblem[] {
  const { name, fields, description } = shape;
  const reserved = {
    path: `${path}.name`,
    message: `${name} is a built-in shape; choose another name`,
  };
  try {
    shapes.set(name, parseShape({ fields, ...(description !== undefined && { description }) }));
    return isBuiltInShape(name) ? [reserved] : [];
  } catch (error) {
    return refusalIn(error, path);
  }
}

function seedProblems(seed: ManifestSeed, path: string, shapes: ReadonlyMap<string, Shape>): ManifestProblem[] {
  const shape = shapes.get(seed.shape);
  const name = attempt(() => parseNewRecordName(`${seed.shape}/${seed.name}`, ''), `${path}.name`);
  if (shape === undefined) return name;
  const { problems } = compileShape(shape).validate(seed.data);
  return [...name, ...problems.map((problem) => placed(problem, `${path}.data`))];
}

function filterProblems({ subscriptions }: Manifest): ManifestProblem[] {
  return subscriptions.flatMap(({ trigger: { filter } }, at) => {
    const path = `subscriptions.${at}.trigger`;
    return filter === undefined ? [] : attempt(() => checkFilter(filter as SubscriptionFilter), path);
  });
}

function globProblems({ runtimeAccess }: Manifest): ManifestProblem[] {
  const { reads = [], writes = [] } = runtimeAccess ?? {};
  return Object.entries({ reads, writes }).flatMap(([list, entries]) =>
    entries.flatMap((entry, at) => {
      const message = isShapeName(entry) ? undefined : problemWithGlob(sampled(entry));
      return message === undefined ? [] : [{ path: `runtimeAccess.${list}.${at}`, message }];
    }),
  );
}

function attempt(check: () => unknown, path: string): ManifestProblem[] {
  try {
    check();
    return [];
  } catch (error) {
    return refusalIn(error, path);
  }
}

function refusalIn(error: unknown, path: string): ManifestProblem[] {
  if (!(error instanceof CairnError)) throw error;
  const details = error.details as readonly Problem[];
  return details.map((problem) => placed(problem, path));
}

function placed({ path, message }: Problem, within: string): ManifestProblem {
  const tokens = path.startsWith('/') ? pointerTokens(path) : [path];
  return { path: [within, ...tokens.filter((token) => token !== '')].join('.'), message: message.replace(/\.$/, '') };
}

/** The data of seeds belongs to the author, so placeholders in it stay. */
export function expandManifest(manifest: Manifest, place: RepositoryAddress): Manifest {
  const { shapes, credentials, subscriptions, seeds, health, runtimeAccess, cli } = manifest;
  const expanded = expand({ shapes, credentials, subscriptions, health, runtimeAccess, cli }, place);
  const named = seeds.map(({ data, ...seed }) => ({ ...expand(seed, place), data }));
  return { ...manifest, ...expanded, seeds: named };
}

function expand<Value>(value: Value, place: RepositoryAddress): Value {
  if (typeof value === 'string') return expandText(value, place) as Value;
  if (Array.isArray(value)) return value.map((item) => expand(item, place)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner, place)])) as Value;
}

function expandText(text: string, { orgName, repoName }: RepositoryAddress): string {
  return text.replaceAll('<org-name>', () => orgName).replaceAll('<repo-name>', () => repoName);
}

const SETUP_SUPPLIED = /^\{setup-supplied:(\/.*)\}$/;

/** The path of a URL that the setup endpoint supplies; `undefined` if the manifest gives the whole URL. */
export function suppliedPath(webhookUrl: string): string | undefined {
  return SETUP_SUPPLIED.exec(webhookUrl)?.[1];
}

/** An event excludes a filter. With a shape and a filter, both must match; with neither, everything matches. */
export function subjectOf({ trigger: { shape, filter, event } }: ManifestSubscription): {
  filter?: SubscriptionFilter | undefined;
  event?: string | undefined;
} {
  if (event !== undefined) return { event };
  if (shape === undefined) return { filter: filter ?? {} };
  return { filter: filter === undefined ? { shape } : { all: [{ shape }, filter] } };
}

export interface TokenAccess {
  readonly reads: readonly NarrowingEntry[];
  readonly writes: readonly NarrowingEntry[];
}

/** A component may always write its own configuration. */
export function tokenAccess(
  { reads, writes }: { readonly reads: readonly string[]; readonly writes: readonly string[] },
  componentName: string,
): TokenAccess {
  return { reads: accessEntries(reads), writes: accessEntries([...writes, `ComponentConfig/${componentName}`]) };
}

/** A plain name is a shape and covers its records and the shape itself. Everything else is a glob over full names. */
function accessEntries(texts: readonly string[]): NarrowingEntry[] {
  if (texts.length === 0) return [];
  return [{ refs: texts.map((text) => (/[/*]/.test(text) ? text : `${text}/**`)) }];
}

type ArgumentValue = string | number | boolean;

export function readArguments(
  declared: readonly MethodArgument[],
  given: Readonly<Record<string, unknown>>,
): { values: ReadonlyMap<string, ArgumentValue>; problems: readonly { path: string; message: string }[] } {
  const values = new Map<string, ArgumentValue>();
  const problems = unknownArguments(declared, given);
  for (const argument of declared) {
    const { name, required } = argument;
    const value = Object.hasOwn(given, name) ? given[name] : argument.default;
    const missing = required ? 'This argument is required.' : undefined;
    const message = value === undefined ? missing : problemOf(argument, value);
    if (message !== undefined) problems.push({ path: `args.${name}`, message });
    else if (value !== undefined) values.set(name, value as ArgumentValue);
  }
  return { values, problems };
}

function unknownArguments(
  declared: readonly MethodArgument[],
  given: Readonly<Record<string, unknown>>,
): { path: string; message: string }[] {
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
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
} as const satisfies Record<MethodArgument['type'], string>;

function isOfType(type: MethodArgument['type'], value: unknown): value is ArgumentValue {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

export type MintedToken = (typeof MINTED_TOKENS)[number];

export function mintedTokensOf(
  { setupUrl, mintedTokens }: Pick<FoundComponent, 'setupUrl' | 'mintedTokens'>,
  manifest: Manifest,
): readonly MintedToken[] {
  if (setupUrl === undefined) return [];
  return (
    mintedTokens ?? [
      ...(leavesToSetup(manifest) ? (['setup'] as const) : []),
      ...(manifest.runtimeAccess === undefined ? [] : (['runtime'] as const)),
    ]
  );
}

function leavesToSetup({ shapes, credentials, subscriptions }: Manifest): boolean {
  return [...shapes, ...credentials, ...subscriptions].some(({ provisioning }) => provisioning === 'setup');
}
