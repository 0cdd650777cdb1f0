// Repositories for tests of the store, made without authorization but with the grant that it would give.

import { parseWref } from '@cairn/model/wref';
import type { CommitResult } from '@cairn/protocol/commit';
import { DEFAULT_LIMITS } from '@cairn/protocol/limits';
import type { Grant } from '../../packages/server/src/access/grant.rule.ts';
import type { CommitInput } from '../../packages/server/src/commit/commit.write.ts';
import type { ReadableRepository } from '../../packages/server/src/commit/reference/target-set.sql.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { RecordWref } from '../../packages/server/src/read/record.sql.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { grantOn } from './grant.ts';

export interface TestRepository {
  readonly store: Store;
  readonly grant: Grant;
  readonly commit: (operations: readonly unknown[], options?: Partial<CommitInput>) => Promise<CommitResult>;
}

export async function createTestRepository(engine: Engine): Promise<TestRepository> {
  const { openTestStore } = await import('./store.ts');
  return await addTestRepository(await openTestStore(engine), 'acme');
}

export async function addTestRepository(store: Store, handle: string): Promise<TestRepository> {
  await store.write.createAccount({ email: `${handle}@example.com`, handle, passwordHash: '-', operator: true });
  const repository = {
    orgName: handle,
    name: 'world',
    displayName: 'world',
    description: '',
    visibility: 'private',
  } as const;
  const found = await store.write.createRepository(repository);
  const grant = { ...found, scope: 'repo:write' } as Grant;
  return {
    store,
    grant,
    commit: (operations, options) => store.write.commit(commitInput(grant, operations, options)),
  };
}

export function commitInput(
  grant: Grant,
  operations: readonly unknown[],
  options: Partial<CommitInput> = {},
): CommitInput {
  return {
    grant,
    createdBy: 'user:ada',
    readable: [],
    mayConfigure: true,
    message: '',
    operations,
    atomic: true,
    skipExisting: false,
    limits: DEFAULT_LIMITS,
    ...options,
  };
}

export function recordWref(text: string): RecordWref {
  const { pin, ...wref } = parseWref(text);
  const version = typeof pin === 'number' ? pin : undefined;
  return 'recordId' in wref ? { recordId: wref.recordId, version } : { name: wref.name, version };
}

/** A fresh grant, which has the current sequence and the last rename. */
export async function refreshed(repository: TestRepository): Promise<TestRepository> {
  const { orgName, name } = repository.grant.repository;
  return { ...repository, grant: await grantOn(repository.store, { orgName, repoName: name }) };
}

export function readableOf({ grant: { repoId, repository } }: TestRepository): ReadableRepository {
  return { repoId, orgName: repository.orgName, repoName: repository.name };
}
