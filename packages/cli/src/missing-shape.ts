// Shapes that the fields of a shape name for what they refer to, and that are not there. They may be made later, so that the
// server takes them; most often the name is mistyped, and no record could ever be referred to.

import { nearest } from '@cairn/protocol/nearest';
import { collectionTypeOf } from './collection-type.ts';
import { shapeNames } from './near-name.ts';
import type { RepoName } from './repo-name.ts';
import type { Session } from './session.ts';
import { isShapeThere } from './unknown-shape.ts';

const TOLD_MAX = 10;

interface Written extends RepoName {
  /** As they were given to `shape create` or `shape revise`, which took them. */
  readonly fields: unknown;
}

interface NamedShape {
  /** Of the field, such as `maker` or `parts.maker`. */
  readonly path: string;
  readonly shape: string;
}

/** Costs a request where a field names a shape, and one more for each name that is not among those of the repository. */
export async function tellMissingShapes(session: Session, { fields, ...repo }: Written): Promise<void> {
  const named = shapesIn(fields, '').filter(({ shape }) => collectionTypeOf(shape) === undefined);
  if (named.length === 0 || !session.isFollowed) return;
  const place = { client: session.client, ...repo };
  const known = await shapeNames(place).catch(() => undefined);
  // Where it cannot be told, nothing is said.
  if (known === undefined) return;
  for (const { path, shape } of named.filter((one) => !known.includes(one.shape)).slice(0, TOLD_MAX)) {
    if (await isShapeThere(place, { shape })) continue;
    const [meant] = nearest(shape, known);
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    session.say(`The field "${path}" refers to records of the shape "${shape}", which is not here yet.${question}`);
  }
}

/** A field is a text, a list of one field, an object with a `type`, or an object of fields. */
function shapesIn(field: unknown, path: string): NamedShape[] {
  if (Array.isArray(field)) return field.flatMap((item) => shapesIn(item, path));
  if (typeof field !== 'object' || field === null) return [];
  const { type, shape, items } = field as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') {
    return Object.entries(field).flatMap(([name, inner]) => shapesIn(inner, joined(path, name)));
  }
  if (items !== undefined) return shapesIn(items, path);
  return [shape].flat().flatMap((one) => (typeof one === 'string' ? [{ path, shape: one }] : []));
}

function joined(path: string, name: string): string {
  const plain = name.replace(/\?$/, '');
  return path === '' ? plain : `${path}.${plain}`;
}
