// Fills the checksums of rows from before migration 21, and each repository's number of rows in a full export.
import type { BulkStatement, Transaction } from '../engine/database.ts';
import { checksumHead, checksumVersion, type HeadColumns, type VersionColumns } from './integrity.rule.ts';

const ROWS_A_STEP = 2_000;

export async function fillChecksums(tx: Transaction): Promise<void> {
  const repositories = await tx.query<{ repo_id: number; repo_seq: number }>(
    'select repo_id, repo_seq from repo_sequence order by repo_id',
  );
  for (const { repo_id, repo_seq } of repositories) {
    await fillHeads(tx, repo_id);
    await fillVersions(tx, repo_id);
    await fillExportRows(tx, repo_id, repo_seq);
  }
}

const SET_HEADS: BulkStatement = {
  each: 'update record set crc = $3 where repo_id = $1 and record_id = $2',
  set: `update record r set crc = x.crc from unnest($2::bigint[], $3::bigint[]) as x (record_id, crc)
    where r.repo_id = $1 and r.record_id = x.record_id`,
};

async function fillHeads(tx: Transaction, repoId: number): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await tx.query<HeadColumns>(
      `select * from record where repo_id = $1 and record_id > $2 order by record_id limit ${ROWS_A_STEP}`,
      [repoId, after],
    );
    await tx.bulk(SET_HEADS, { common: [repoId], rows: rows.map((row) => [row.record_id, checksumHead(repoId, row)]) });
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.record_id;
  }
}

const SET_VERSIONS: BulkStatement = {
  each: 'update version set crc = $4 where repo_id = $1 and record_id = $2 and version = $3',
  set: `update version v set crc = x.crc
    from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as x (record_id, version, crc)
    where v.repo_id = $1 and v.record_id = x.record_id and v.version = x.version`,
};

async function fillVersions(tx: Transaction, repoId: number): Promise<void> {
  for (let [record, version] = [-1, -1]; ; ) {
    const rows = await tx.query<VersionColumns>(
      `select record_id, version, from_seq, op_index, operation, active, shape_version, reason, data_hash from version
       where repo_id = $1 and (record_id, version) > ($2, $3) order by record_id, version limit ${ROWS_A_STEP}`,
      [repoId, record, version],
    );
    await tx.bulk(SET_VERSIONS, {
      common: [repoId],
      rows: rows.map((row) => [row.record_id, row.version, checksumVersion(repoId, row)]),
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    [record, version] = [last.record_id, last.version];
  }
}

async function fillExportRows(tx: Transaction, repoId: number, repoSeq: number): Promise<void> {
  const [count] = await tx.query<{ rows: number }>(
    `select (select count(*) from record where repo_id = $1 and shape_id <> 0)
       + (select count(*) from record r join version v on v.repo_id = $1 and v.record_id = r.record_id
         where r.repo_id = $1 and r.shape_id = 0) as rows`,
    [repoId],
  );
  const rows = count?.rows ?? 0;
  await tx.query('update repo_sequence set export_rows = $2 where repo_id = $1', [repoId, rows]);
  await tx.query('update "commit" set export_rows = $3 where repo_id = $1 and repo_seq = $2', [repoId, repoSeq, rows]);
}
