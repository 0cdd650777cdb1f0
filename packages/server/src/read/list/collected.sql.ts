// Records found by an index that are sorted afterwards, because they are few or come from several places.
import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { tooLong } from '../../engine/read-bounds.ts';
import type { AboutCondition, PointedRecord } from './list-request.sql.ts';

export const PROBE_MAX = 2_000;
const TARGETS_A_STEP = 500;
/** Limit for assertions about one record, including those about them and about collections. */
const GATHERED_MAX = 200_000;

interface NameProbe {
  readonly shapeId: number;
  readonly from: string;
  readonly to: string;
}

export async function probeNames(reader: Reader, { repoId }: Grant, probe: NameProbe): Promise<number[] | undefined> {
  const rows = await reader.query<{ record_id: number }>(
    `select record_id from name where repo_id = $1 and shape_id = $2 and name >= $3 and name < $4
     limit ${PROBE_MAX + 1}`,
    [repoId, probe.shapeId, probe.from, probe.to],
  );
  return fewEnough(rows);
}

function fewEnough(rows: readonly { record_id: number }[]): number[] | undefined {
  return rows.length > PROBE_MAX ? undefined : [...new Set(rows.map(({ record_id }) => record_id))];
}

const aboutOf = (target: { repo: string; record: string; version: string }) => `select record_id from ref
  where target_repo_id = ${target.repo} and target_id = ${target.record} and role = 'about' and repo_id = $1
    and (${target.version} = 0 or target_version = ${target.version}) limit ${GATHERED_MAX}`;

const aboutSet = (repo: string) => `select k.ord::int as ord, f.record_id
  from unnest($2::bigint[], $3::bigint[], $4::bigint[]) with ordinality as k (repo_id, record_id, version, ord)
  cross join lateral (${aboutOf({ repo, record: 'k.record_id', version: 'k.version' })}) as f`;

const FIND_ABOUT: BulkStatement = {
  each: aboutOf({ repo: '$2', record: '$3', version: '$4' }),
  set: aboutSet('k.repo_id'),
  shard: { column: 0, set: aboutSet('$5') },
};

const containing = (target: { repo: string; record: string; role: string }) => `select record_id from ref
  where target_repo_id = ${target.repo} and target_id = ${target.record} and role = ${target.role} and repo_id = $1
    and ($3 = 0 or target_version = $3) and from_seq <= $2 and (to_seq is null or to_seq > $2) limit ${GATHERED_MAX}`;

const containingSet = (repo: string) => `select k.ord::int as ord, f.record_id
  from unnest($4::bigint[], $5::bigint[], $6::text[]) with ordinality as k (repo_id, record_id, role, ord)
  cross join lateral (${containing({ repo, record: 'k.record_id', role: 'k.role collate "C"' })}) as f`;

const FIND_CONTAINING: BulkStatement = {
  each: containing({ repo: '$4', record: '$5', role: '$6' }),
  set: containingSet('k.repo_id'),
  shard: { column: 0, set: containingSet('$7') },
};

interface Gathering {
  readonly about: AboutCondition;
  readonly atRepoSeq: number;
  readonly keepShown: (recordIds: readonly number[]) => Promise<number[]>;
}

export async function gatherAbout(reader: Reader, grant: Grant, gathering: Gathering): Promise<number[]> {
  const { about, keepShown } = gathering;
  const found = new Set<number>();
  const collections = await keepShown(await findContaining(reader, grant, gathering));
  const inRepository = (recordId: number): PointedRecord => ({ repoId: grant.repoId, recordId });
  let targets: readonly PointedRecord[] = [about.target, ...collections.map(inRepository)];
  for (let level = 1; level <= about.depth && targets.length > 0; level++) {
    const fresh = (await findAbout(reader, grant, targets)).filter((id) => !found.has(id));
    for (const id of fresh) found.add(id);
    if (found.size >= GATHERED_MAX)
      throw tooLong('The record has too many assertions. Leave out depth and resolveCollections.');
    targets = level < about.depth ? (await keepShown(fresh)).map(inRepository) : [];
  }
  return [...found];
}

async function findContaining(reader: Reader, { repoId }: Grant, { about, atRepoSeq }: Gathering): Promise<number[]> {
  const { target, memberRoles } = about;
  const rows = await reader.bulk<{ record_id: number }>(FIND_CONTAINING, {
    common: [repoId, atRepoSeq, target.version ?? 0],
    rows: memberRoles.map((role) => [target.repoId, target.recordId, role]),
  });
  return [...new Set(rows.map(({ record_id }) => record_id))];
}

async function findAbout(reader: Reader, { repoId }: Grant, targets: readonly PointedRecord[]): Promise<number[]> {
  const found = new Set<number>();
  for (let at = 0; at < targets.length && found.size < GATHERED_MAX; at += TARGETS_A_STEP) {
    const rows = await reader.bulk<{ record_id: number }>(FIND_ABOUT, {
      common: [repoId],
      rows: targets
        .slice(at, at + TARGETS_A_STEP)
        .map((target) => [target.repoId, target.recordId, target.version ?? 0]),
    });
    for (const { record_id } of rows) found.add(record_id);
  }
  return [...found];
}
