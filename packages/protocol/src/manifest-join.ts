// A manifest may be written in two files, component.json and manifest.json. Either may hold all of it; what both hold must
// be the same.
import type { ManifestProblem } from './component.ts';
import { bounded, isDeeperThan, MANIFEST_DEPTH_MAX } from './manifest-check.ts';

export interface JoinedManifest {
  /** Where they disagree, as manifest.json has it. */
  readonly json: unknown;
  readonly problems: readonly ManifestProblem[];
}

type JsonObject = Readonly<Record<string, unknown>>;

export function joinManifest(componentJson: unknown, manifestJson: unknown): JoinedManifest {
  const [one, other] = [wholeOf(componentJson), manifestJson];
  const wrong = [...formProblems('component.json', one), ...formProblems('manifest.json', other)];
  if (wrong.length > 0 || !isObject(one) || !isObject(other)) return { json: other, problems: wrong };
  const problems: ManifestProblem[] = [];
  return { json: joined(one, other, { path: [], problems }), problems: bounded(problems) };
}

/** component.json may also be what stands under `component` alone. */
function wholeOf(json: unknown): unknown {
  if (!isObject(json) || Object.hasOwn(json, 'component') || typeof json.id !== 'string') return json;
  const { $schema: _, ...component } = json;
  return { component };
}

function formProblems(file: string, json: unknown): ManifestProblem[] {
  if (!isObject(json)) return [{ path: '', message: `${file} is not an object: write it as { ... }` }];
  if (!isDeeperThan(json, MANIFEST_DEPTH_MAX)) return [];
  return [{ path: '', message: `${file} is nested more than ${MANIFEST_DEPTH_MAX} levels deep: say it flatter` }];
}

interface Joining {
  readonly path: readonly string[];
  readonly problems: ManifestProblem[];
}

function joined(one: JsonObject, other: JsonObject, { path, problems }: Joining): JsonObject {
  const shared = Object.keys(one).filter((key) => Object.hasOwn(other, key) && key !== '$schema');
  const both = shared.map((key) => {
    const [here, there] = [one[key], other[key]];
    const place = [...path, key];
    if (isObject(here) && isObject(there)) return [key, joined(here, there, { path: place, problems })];
    if (!isSame(here, there)) problems.push({ path: place.join('.'), message: disagreement(here, there) });
    return [key, there];
  });
  return Object.fromEntries([...Object.entries(one), ...Object.entries(other), ...both]);
}

function disagreement(here: unknown, there: unknown): string {
  return `component.json has ${shown(here)} and manifest.json has ${shown(there)}: say it in one of them, or the same in both`;
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return (JSON.stringify(value) ?? 'nothing').slice(0, 80).toWellFormed();
  return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
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
