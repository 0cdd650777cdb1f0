// Whether the rows of a repository agree with each other. Everything that can be derived from other rows is derived
// again, without the code that wrote it, and compared: a difference is a sentence, and no difference an empty list.
import type { Store } from '../../packages/server/src/store/store.ts';
import { chainDifferences, sequenceDifferences } from './verify/chain.ts';
import { fieldDifferences } from './verify/field.ts';
import { NameHistory, nameDifferences } from './verify/name.ts';
import { referenceDifferences } from './verify/reference.ts';
import { referenceIndexDifferences } from './verify/reference-index.ts';
import { loadRows } from './verify/row.ts';
import { recordDifferences } from './verify/version.ts';

export async function verifyRepository({ database }: Pick<Store, 'database'>, repoId: number): Promise<string[]> {
  const rows = await loadRows(database, repoId);
  const names = new NameHistory(rows);
  return [
    ...recordDifferences(rows),
    ...nameDifferences(rows, names),
    ...referenceDifferences(rows, names),
    ...referenceIndexDifferences(rows),
    ...chainDifferences(rows, names),
    ...sequenceDifferences(rows),
    ...fieldDifferences(rows),
  ];
}
