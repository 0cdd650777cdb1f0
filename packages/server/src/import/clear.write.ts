// Gives an import up and clears away what was sent, in steps: afterwards the repository is as it was before.

import type { Grant } from '../access/grant.rule.ts';
import type { Transaction } from '../engine/database.ts';
import { REPOSITORY_TABLES, type RepositoryTable, removeRows } from '../repository/repository-removal.sql.ts';
import {
  findImport,
  findOpenImport,
  type ImportRow,
  isRestore,
  lockSequence,
  refuseState,
  updateImport,
} from './import-row.sql.ts';

export interface ImportClearing {
  readonly grant: Grant;
  readonly importId: string | undefined;
  readonly rowsMax: number;
}

/** The tables that a restore fills. What builds indexes must find no field to build first. */
const RESTORED = ['shape_field', 'field_index', 'ref', 'name', 'version', 'record', '"commit"', 'import_entry'];
/** An increment touches nothing before it is applied. */
const STAGED = ['import_line', 'import_entry'];

/** One step; answers whether it was the last. */
export async function abortImport(tx: Transaction, { grant, importId, rowsMax }: ImportClearing): Promise<boolean> {
  await lockSequence(tx, grant);
  const open = await findOpenImport(tx, grant.repoId);
  if (open === undefined || (importId !== undefined && open.import_id !== importId)) {
    await refuseComplete(tx, grant.repoId, importId);
    return true;
  }
  if (open.state !== 'clearing') await updateImport(tx, open, { state: 'clearing' });
  let rowsLeft = rowsMax;
  for (const table of tablesOf(open)) {
    rowsLeft -= await removeRows(tx, table, { repoId: grant.repoId, rowsMax: rowsLeft });
    if (rowsLeft <= 0) return false;
  }
  await tx.query('update repo_sequence set importing = null where repo_id = $1', [grant.repoId]);
  await tx.query('delete from import where repo_id = $1 and import_id = $2', [grant.repoId, open.import_id]);
  return true;
}

/** One that was cleared away is not known any more, and who asks again need not be told. */
async function refuseComplete(tx: Transaction, repoId: number, importId: string | undefined): Promise<void> {
  const row = importId === undefined ? undefined : await findImport(tx, repoId, importId);
  if (row !== undefined) throw refuseState(row, 'The import cannot be aborted');
}

function tablesOf(row: ImportRow): RepositoryTable[] {
  const names = isRestore(row) ? RESTORED : STAGED;
  return names.flatMap((name) => REPOSITORY_TABLES.filter((table) => table.name === name));
}
