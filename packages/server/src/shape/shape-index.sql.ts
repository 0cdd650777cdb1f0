// What `shape.get` says of a shape's indexes.
import type { ShapeItem } from '@cairn/protocol/shape';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';

interface IndexedShape {
  readonly shapeId: number;
  /** The sequence that the shape's version is from. */
  readonly repoSeq: number;
}

export async function listIndexes(
  reader: Reader,
  { repoId }: Grant,
  { shapeId, repoSeq }: IndexedShape,
): Promise<ShapeItem['indexes']> {
  const rows = await reader.query<{ path: string; built_to: number | null }>(
    `select path, built_to from shape_field
     where repo_id = $1 and shape_id = $2 and from_seq <= $3 and (to_seq is null or to_seq > $3) order by field_id`,
    [repoId, shapeId, repoSeq],
  );
  return rows.map(({ path, built_to }) => ({ path, state: built_to === null ? 'ready' : 'building' }));
}
