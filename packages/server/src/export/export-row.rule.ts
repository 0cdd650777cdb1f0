// Writes a row of an export as text from the stored values, without parsing data and references.

import { COLLECTION_TYPE_OF } from '@cairn/model/collection';
import { formatDurableId } from '@cairn/model/wref';
import {
  type JoinedHead,
  requireIntact,
  requireIntactJoinedHead,
  requireIntactVersion,
  requireReferences,
  requireTypes,
  type VersionColumns,
} from '../commit/integrity.rule.ts';
import type { CommitFacts } from '../read/record-item.sql.ts';
import type { ExportFacts } from './export-page.sql.ts';

/** `data` is null if the export does not want the row. */
export interface VersionRow extends JoinedHead, VersionColumns {
  readonly name: string;
  readonly data_hash: string;
  readonly crc: number;
  readonly data: string | null;
  readonly refs: string | null;
}

type WantedRow = VersionRow & { readonly data: string };

export const isWanted = (row: VersionRow): row is WantedRow => row.data !== null;

export function exportLine(repoId: number, row: WantedRow, facts: ExportFacts): string {
  const { record_id: recordId, version, data, data_hash: dataHash } = row;
  requireWhole(row);
  const purged = requireIntact({ recordId, version, data, dataHash }) === 'purged' ? ',"purged":true' : '';
  const made = facts.commit(row.from_seq);
  const born = facts.commit(row.created_seq);
  return `{"type":"record",${identity(repoId, row, facts)},"operation":"${row.operation}","active":${row.active === 1},"repoSeq":${row.from_seq},"recordRepoSeq":${row.created_seq},"data":${data}${
    row.refs === null ? '' : `,"refs":${row.refs}`
  },"dataHash":"${dataHash}"${purged}${about(row)}${optional('reason', row.reason)}${author(made)},"recordCreatedAt":${born.created_at},"versionCreatedAt":${made.created_at}}\n`;
}

/** Checks every row, because damage can make a row look unwanted. */
export function requireIntactRow(repoId: number, row: VersionRow): void {
  requireIntactVersion(repoId, row);
  requireIntactJoinedHead(repoId, row);
}

function requireWhole({
  record_id: recordId,
  shape_id,
  created_seq,
  version,
  from_seq,
  refs,
  ...row
}: WantedRow): void {
  const of = { recordId, version };
  const numbers = [recordId, shape_id, created_seq, version, from_seq, row.shape_version ?? 0];
  requireTypes({ numbers, texts: [row.kind, row.name, row.operation, row.data] }, of);
  requireReferences(refs, of);
}

function identity(repoId: number, row: VersionRow, facts: ExportFacts): string {
  const durableId = formatDurableId({ repoId, recordId: row.record_id });
  const start = `"kind":"${row.kind}","durableId":"${durableId}","version":${row.version}`;
  if (row.kind === 'shape') return `${start},"name":${JSON.stringify(row.name)}`;
  const shapeName = facts.shapeName(row.shape_id);
  const collection = row.kind === 'collection' ? `,"collection":"${COLLECTION_TYPE_OF.get(shapeName)}"` : '';
  return `${start},"name":${JSON.stringify(`${shapeName}/${row.name}`)},"shapeName":${JSON.stringify(shapeName)},"shapeVersion":${row.shape_version}${collection}`;
}

function about({ about: identity, about_wref }: VersionRow): string {
  return optional('aboutWref', about_wref) + optional('aboutDurableId', identity);
}

function author({ created_by, committer, committer_identity }: CommitFacts): string {
  const who = `,"createdBy":${JSON.stringify(created_by)}`;
  return who + optional('committerWref', committer) + optional('committerDurableId', committer_identity);
}

function optional(field: string, value: string | null): string {
  return value === null ? '' : `,"${field}":${JSON.stringify(value)}`;
}
