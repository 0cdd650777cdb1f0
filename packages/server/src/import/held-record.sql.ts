// Records that are here already, as an import finds them.

import { requireIntactHead } from '../commit/row-checksum.rule.ts';
import type { Reader } from '../engine/database.ts';
import { FIND_HELD, type HeldRow } from './statement.sql.ts';

/** By id, those that there are. */
export async function findHeld(reader: Reader, repoId: number, ids: Iterable<number>): Promise<Map<number, HeldRow>> {
  const rows = [...new Set(ids)].map((id) => [id]);
  const found = await reader.bulk<HeldRow>(FIND_HELD, { common: [repoId], rows });
  for (const row of found) requireIntactHead(repoId, row, row.crc);
  return new Map(found.map((record) => [record.record_id, record]));
}
