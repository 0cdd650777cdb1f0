// Warns about written fields that the shape does not declare: usually typos, which a table of results would hide. Each
// gets one sentence with a suggestion.

import { isJsonObject } from '@cairn/model/json';
import { pointerTokens } from '@cairn/model/json-pointer';
import type { CommitResult } from '@cairn/protocol/commit';
import { nearest } from '@cairn/protocol/nearest';
import { CairnError, type RecordPage } from '@cairn/sdk';
import type { RepoSession } from './session.ts';

const TOLD_MAX = 10;

export interface Undeclared {
  readonly shapeName: string;
  readonly path: string;
}

export async function tellUndeclared(opened: RepoSession, result: CommitResult, isDryRun: boolean): Promise<void> {
  const kept = isDryRun ? 'it would be stored anyway' : STORED;
  await tellFields(opened, { found: undeclaredIn(result), kept, more: '; --json shows all' });
}

const STORED = 'it was stored anyway';

interface Told {
  readonly found: readonly Undeclared[];
  readonly kept?: string;
  readonly more?: string;
}

/** Sends one request per affected shape, and none if all fields are declared. */
export async function tellFields(opened: RepoSession, { found, kept = STORED, more = '' }: Told): Promise<void> {
  if (found.length === 0 || !opened.isFollowed) return;
  const shapeNames = [...new Set(found.map(({ shapeName }) => shapeName))];
  const fields = new Map<string, object>();
  for (const shapeName of shapeNames) fields.set(shapeName, await fieldsOf(opened, shapeName));
  for (const { shapeName, path } of found.slice(0, TOLD_MAX)) {
    const meant = meantField(fields.get(shapeName) ?? {}, path);
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    opened.say(`${shapeName} declares no field "${dotted(path)}"; ${kept}.${question}`);
  }
  if (found.length > TOLD_MAX) opened.say(`… and ${found.length - TOLD_MAX} more fields${more}.`);
}

function undeclaredIn({ operations }: CommitResult): Undeclared[] {
  const found = new Map<string, Undeclared>();
  for (const { name, warnings } of operations) {
    const [shapeName = ''] = name.split('/');
    for (const path of warnings?.undeclaredFields ?? []) found.set(`${shapeName} ${path}`, { shapeName, path });
  }
  return [...found.values()];
}

/** Empty if the caller may not see the shape. */
async function fieldsOf({ repo }: RepoSession, shapeName: string): Promise<object> {
  try {
    const { data } = await repo().shapes.get(shapeName);
    const fields = isJsonObject(data) ? data.fields : undefined;
    return isJsonObject(fields) ? fields : {};
  } catch (error) {
    if (error instanceof CairnError) return {};
    throw error;
  }
}

/** Suggests top-level fields only: nested ones can be declared in many ways. */
function meantField(fields: object, path: string): string | undefined {
  const [name = '', ...deeper] = pointerTokens(path);
  return deeper.length > 0 ? undefined : nearest(name, declaredIn(fields))[0];
}

const declaredIn = (fields: object) => Object.keys(fields).map((key) => key.replace(/\?$/, ''));

const dotted = (path: string) => pointerTokens(path).join('.');

/** One request each. */
const SHAPES_MAX = 5;

interface ListedFlags {
  readonly fields?: readonly string[];
  readonly shape?: string;
}

type Items = RecordPage['items'];

/**
 * Warns about requested fields that neither the listed records nor their shapes have: an empty column does not show a
 * typo. Sends no request if each field occurs in some record.
 */
export async function tellUnknownFields(opened: RepoSession, flags: ListedFlags, items: Items): Promise<void> {
  if (!opened.isFollowed) return;
  const asked = [...new Set((flags.fields ?? []).map((path) => path.split('.')[0] ?? ''))];
  const missing = asked.filter((name) => items.every(({ data }) => !hasField(data, name)));
  const shapes = flags.shape === undefined ? shapesOf(items) : [flags.shape];
  if (missing.length === 0 || shapes.length === 0 || shapes.length > SHAPES_MAX) return;
  const declared: string[] = [];
  for (const shape of shapes) {
    const names = declaredIn(await fieldsOf(opened, shape));
    if (names.length === 0) return;
    declared.push(...names);
  }
  const told = missing.filter((name) => !declared.includes(name));
  for (const name of told) opened.say(`${declaresNot(shapes, name)}${meantBy(name, shapes, declared)}`);
}

function declaresNot(shapes: readonly string[], name: string): string {
  const [first = '', ...more] = shapes;
  if (more.length === 0) return `${first} declares no field "${name}".`;
  return `None of ${shapes.join(', ')} declares a field "${name}".`;
}

function meantBy(name: string, shapes: readonly string[], declared: readonly string[]): string {
  const [meant] = nearest(name, declared);
  if (meant !== undefined) return ` Did you mean "${meant}"?`;
  return shapes.length === 1 ? ` It has ${declared.join(', ')}.` : '';
}

const hasField = (data: unknown, name: string) => isJsonObject(data) && Object.hasOwn(data, name);

function shapesOf(items: Items): string[] {
  return [...new Set(items.map(({ name }) => name.split('/')[0] ?? ''))].toSorted();
}
