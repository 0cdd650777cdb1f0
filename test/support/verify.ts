import { differencesIn } from '../../packages/server/src/admin/verify/verify.ts';
import type { Database } from '../../packages/server/src/engine/database.ts';

export async function verifyRepository(
  { database }: { readonly database: Database },
  repoId: number,
): Promise<string[]> {
  const differences: string[] = [];
  for await (const difference of differencesIn(database, repoId)) differences.push(difference);
  return differences;
}
