// A server whose repositories are spread over several machines: on the cluster in CAIRN_TEST_CITUS_URL, or else on the
// stand-in.
import { describe, expect, it } from 'vitest';
import type { Store } from '../../packages/server/src/store.ts';
import { addTestRepository, commitInput, readableOf, type TestRepository } from '../support/repository.ts';
import { distributedLocation, openStoreAt } from '../support/store.ts';
import { verifyRepository } from '../support/verify.ts';

const REPOSITORIES = 12;
const SHAPE = {
  kind: 'shape',
  name: 'Place',
  data: { fields: { 'n?': { type: 'number', indexed: true }, 'to?': 'wref' } },
};

async function shardOf({ database }: Store, { grant }: TestRepository): Promise<number> {
  const sql = `select get_shard_id_for_distribution_column('repo_sequence', $1::bigint) as shard`;
  const [row] = await database.beside.query<{ shard: number }>(sql, [grant.repoId]);
  return row?.shard ?? 0;
}

async function fill(store: Store) {
  const all: TestRepository[] = [];
  for (let n = 0; n < REPOSITORIES; n++) {
    const repository = await addTestRepository(store, `org${n}`);
    await repository.commit([SHAPE, { name: 'Place/a', data: { n } }]);
    all.push(repository);
  }
  const shards = await Promise.all(all.map((repository) => shardOf(store, repository)));
  const [near] = all;
  const far = all.find((_, at) => shards[at] !== shards[0]);
  if (near === undefined || far === undefined) throw new Error('all repositories lie on one shard');
  return { all, near, far, shards };
}

describe('a distributed server', () => {
  it('has repositories on several machines, and commits on two of them at once', async () => {
    const location = await distributedLocation();
    const [one, two] = [await openStoreAt(location), await openStoreAt(location)];
    const { all, near, far, shards } = await fill(one);
    expect(new Set(shards).size).toBeGreaterThan(1);
    const readable = { near: [readableOf(near)], far: [readableOf(far)] };
    const nameOf = ({ grant: { repository } }: TestRepository) => `wh:${repository.orgName}/${repository.name}/Place/a`;
    // Two nodes commit references to each other at once. Each transaction covers both machines, in opposite directions.
    const commits = Array.from({ length: 10 }, (_, n) => [
      near.commit([{ name: `Place/near${n}`, data: { to: nameOf(far) } }], { readable: readable.far }),
      two.write.commit({
        ...commitInput(far.grant, [{ name: `Place/far${n}`, data: { to: nameOf(near) } }]),
        readable: readable.near,
      }),
    ]).flat();
    expect((await Promise.all(commits)).every(({ repoSeq }) => repoSeq > 1)).toBe(true);
    await near.commit(
      [
        { operation: 'revise', name: 'Place/near0', data: { n: 1 } },
        { operation: 'retract', name: 'Place/near1' },
      ],
      { readable: readable.far },
    );
    for (const { grant } of all) expect(await verifyRepository(one, grant.repoId)).toEqual([]);
    const open = await one.database.query(
      'select record_id from ref where target_repo_id = $1 and repo_id = $2 and to_seq is null',
      [far.grant.repoId, near.grant.repoId],
    );
    expect(open).toHaveLength(9);
  });

  it('undoes on both machines what is refused on one', async () => {
    const store = await openStoreAt(await distributedLocation());
    const { near, far } = await fill(store);
    const { repository } = far.grant;
    const refused = near.commit(
      [
        { name: 'Place/b', data: { to: `wh:${repository.orgName}/${repository.name}/Place/a` } },
        { name: 'Place/c', data: { to: 'Place/nobody' } },
      ],
      { readable: [readableOf(far)] },
    );
    await expect(refused).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND' });
    const sql = 'select record_id from ref where target_repo_id = $1 and repo_id = $2';
    expect(await store.database.query(sql, [far.grant.repoId, near.grant.repoId])).toEqual([]);
    for (const { grant } of [near, far]) expect(await verifyRepository(store, grant.repoId)).toEqual([]);
  });
});
