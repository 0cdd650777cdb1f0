// Reads a manifest, and names every problem and its place. Unknown fields are kept, with a warning. Shapes, data and
// globs are checked elsewhere, with the server's own rules for them.
import { z } from 'zod';
import type { ManifestProblem } from '../component.ts';
import { meantForm, wordsOf } from '../input-words.ts';
import { type Manifest, manifest } from '../manifest.ts';
import { methodProblems, nameProblems, referenceProblems, urlProblems } from './consistency.ts';

const MANIFEST_BYTES_MAX = 512 * 1024;
/** Counts nested arrays and objects, including the outermost. */
const MANIFEST_DEPTH_MAX = 64;
// Enough to repair any manifest that a person wrote.
const PROBLEMS_MAX = 100;
const PATH_CHARACTERS_MAX = 300;

export interface ManifestReading {
  /** Absent if the form is wrong. */
  readonly manifest?: Manifest | undefined;
  readonly problems: readonly ManifestProblem[];
  /** Fields without a meaning here, which are kept. */
  readonly warnings: readonly ManifestProblem[];
}

export function readManifest(json: unknown): ManifestReading {
  const oversize = sizeProblem(json);
  if (oversize !== undefined) return { problems: [oversize], warnings: [] };
  const read = manifest.safeParse(json);
  const unknown = unknownFields(manifest, json, []);
  if (!read.success) {
    return { problems: bounded(read.error.issues.flatMap((issue) => problemsOf(issue))), warnings: bounded(unknown) };
  }
  const warnings = bounded([...unknown, ...seedWarnings(read.data)]);
  const checks = [nameProblems, urlProblems, referenceProblems, methodProblems];
  return { manifest: read.data, problems: bounded(checks.flatMap((check) => check(read.data))), warnings };
}

/** Elsewhere the name of a record begins with its shape. A seed adds the shape itself, so it would appear twice. */
function seedWarnings({ seeds }: Manifest): ManifestProblem[] {
  return seeds.flatMap(({ shape, name }, at) => {
    if (!name.startsWith(`${shape}/`)) return [];
    return [
      { path: `seeds.${at}.name`, message: `this adds ${shape}/${name}; leave out the shape if you do not mean that` },
    ];
  });
}

export function bounded(problems: readonly ManifestProblem[]): ManifestProblem[] {
  return problems
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => ({ path: path.slice(0, PATH_CHARACTERS_MAX).toWellFormed(), message }));
}

function sizeProblem(json: unknown): ManifestProblem | undefined {
  if (isDeeperThan(json, MANIFEST_DEPTH_MAX)) {
    return { path: '', message: `the manifest is nested more than ${MANIFEST_DEPTH_MAX} levels deep; flatten it` };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(json) ?? '').length;
  if (bytes <= MANIFEST_BYTES_MAX) return undefined;
  return { path: '', message: `the manifest has ${bytes} bytes as JSON; the maximum is ${MANIFEST_BYTES_MAX}` };
}

/** Bounds its own recursion to `levels`, because the input may be nested without end. */
function isDeeperThan(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((value) => isDeeperThan(value, levels - 1));
}

type Path = readonly PropertyKey[];

/** Reports the problems of the probably meant form if several forms were possible. */
function problemsOf(issue: z.core.$ZodIssue, before: Path = []): ManifestProblem[] {
  const path = [...before, ...issue.path];
  const meant = issue.code === 'invalid_union' ? meantForm(issue) : undefined;
  if (meant !== undefined) return meant.flatMap((one) => problemsOf(one, path));
  return [{ path: path.join('.'), message: wordsOf(issue) }];
}

/** Finds unknown fields of objects whose form is known here. */
function unknownFields(schema: unknown, value: unknown, path: Path): ManifestProblem[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return unknownFields(schema.unwrap(), value, path);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, at) => unknownFields(schema.element, item, [...path, at]));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    if (known !== undefined) return unknownFields(known, inner, [...path, key]);
    return [{ path: [...path, key].join('.'), message: 'unknown field; it is stored, but has no effect' }];
  });
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Joins the two files. If they disagree, manifest.json wins. */
export function joinManifest(
  componentJson: unknown,
  manifestJson: unknown,
): { readonly json: unknown; readonly problems: readonly ManifestProblem[] } {
  const [one, other] = [wholeOf(componentJson), manifestJson];
  const wrong = [...formProblems('component.json', one), ...formProblems('manifest.json', other)];
  if (wrong.length > 0 || !isObject(one) || !isObject(other)) return { json: other, problems: wrong };
  const problems: ManifestProblem[] = [];
  return { json: joined(one, other, [], problems), problems: bounded(problems) };
}

/** component.json may also hold the contents of `component` alone. */
function wholeOf(json: unknown): unknown {
  if (!isObject(json) || Object.hasOwn(json, 'component') || typeof json.id !== 'string') return json;
  const { $schema: _, ...component } = json;
  return { component };
}

function formProblems(file: string, json: unknown): ManifestProblem[] {
  if (!isObject(json)) return [{ path: '', message: `${file} is not an object; write it as { ... }` }];
  if (!isDeeperThan(json, MANIFEST_DEPTH_MAX)) return [];
  return [{ path: '', message: `${file} is nested more than ${MANIFEST_DEPTH_MAX} levels deep; flatten it` }];
}

function joined(one: JsonObject, other: JsonObject, path: readonly string[], problems: ManifestProblem[]): JsonObject {
  const shared = Object.keys(one).filter((key) => Object.hasOwn(other, key) && key !== '$schema');
  const both = shared.map((key) => {
    const [here, there] = [one[key], other[key]];
    const place = [...path, key];
    if (isObject(here) && isObject(there)) return [key, joined(here, there, place, problems)];
    if (!isSame(here, there)) problems.push({ path: place.join('.'), message: disagreement(here, there) });
    return [key, there];
  });
  return Object.fromEntries([...Object.entries(one), ...Object.entries(other), ...both]);
}

function disagreement(here: unknown, there: unknown): string {
  return `component.json has ${shown(here)} and manifest.json has ${shown(there)}; remove one of them, or make them equal`;
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return (JSON.stringify(value) ?? 'nothing').slice(0, 80).toWellFormed();
  return Array.isArray(value) ? `a list of ${value.length} items` : 'an object';
}

function isSame(here: unknown, there: unknown): boolean {
  if (Array.isArray(here) && Array.isArray(there)) {
    return here.length === there.length && here.every((item, at) => isSame(item, there[at]));
  }
  if (!isObject(here) || !isObject(there)) return here === there;
  const keys = Object.keys(here);
  return (
    keys.length === Object.keys(there).length &&
    keys.every((key) => Object.hasOwn(there, key) && isSame(here[key], there[key]))
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
