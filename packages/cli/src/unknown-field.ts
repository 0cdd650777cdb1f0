// Fields that a list was asked to show and that neither its records have nor their shapes declare: most often a mistyped name,
// of which an empty column says nothing.

import { nearest } from '@cairn/protocol/nearest';
import type { RecordPage } from '@cairn/sdk';
import type { RepoName } from './repo-name.ts';
import type { Session } from './session.ts';
import { declaredIn, fieldsOf } from './undeclared-field.ts';

/** A request each. */
const SHAPES_MAX = 5;

interface Shown extends RepoName {
  readonly flags: { readonly fields?: readonly string[]; readonly shape?: string };
  readonly items: RecordPage['items'];
}

/** Costs nothing where some record has each of the fields. */
export async function tellUnknownFields(session: Session, { flags, items, ...repo }: Shown): Promise<void> {
  if (!session.isFollowed) return;
  const asked = [...new Set((flags.fields ?? []).map((path) => path.split('.')[0] ?? ''))];
  const missing = asked.filter((name) => items.every(({ data }) => !hasField(data, name)));
  const shapes = flags.shape === undefined ? shapesOf(items) : [flags.shape];
  if (missing.length === 0 || shapes.length === 0 || shapes.length > SHAPES_MAX) return;
  const declared: string[] = [];
  for (const shape of shapes) {
    const names = declaredIn(await fieldsOf(session, repo, shape));
    // Of a shape that the caller may not see, and of one without fields, nothing can be told.
    if (names.length === 0) return;
    declared.push(...names);
  }
  const told = missing.filter((name) => !declared.includes(name));
  for (const name of told) session.say(`${declaresNot(shapes, name)}${meantBy(name, { shapes, declared })}`);
}

function declaresNot(shapes: readonly string[], name: string): string {
  const [first = '', ...more] = shapes;
  if (more.length === 0) return `${first} declares no field "${name}".`;
  return `None of ${shapes.join(', ')} declares a field "${name}".`;
}

interface Declared {
  readonly shapes: readonly string[];
  readonly declared: readonly string[];
}

function meantBy(name: string, { shapes, declared }: Declared): string {
  const [meant] = nearest(name, declared);
  if (meant !== undefined) return ` Did you mean "${meant}"?`;
  return shapes.length === 1 ? ` It has ${declared.join(', ')}.` : '';
}

const hasField = (data: unknown, name: string) =>
  typeof data === 'object' && data !== null && Object.hasOwn(data, name);

function shapesOf(items: RecordPage['items']): string[] {
  return [...new Set(items.map(({ name }) => name.split('/')[0] ?? ''))].toSorted();
}
