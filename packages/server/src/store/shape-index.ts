// What `shape.get` says of a shape's indexes.
import type { ShapeItem } from '@cairn/protocol/shape';
import type { Reader } from './database.ts';
import type { Grant } from './grant.ts';

export async function listIndexes(reader: Reader, { repoId }: Grant, shapeId: number): Promise<ShapeItem['indexes']> {
  const rows = await reader.query<{ path: string; built_to: number | null }>(
    `select path, built_to from shape_field
     where repo_id = $1 and shape_id = $2 and to_seq is null order by field_id`,
    [repoId, shapeId],
  );
  return rows.map(({ path, built_to }) => ({ path, state: built_to === null ? 'ready' : 'building' }));
}
