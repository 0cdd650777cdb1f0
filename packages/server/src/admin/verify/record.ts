// Records and their versions: numbers without a gap, times that join, hashes and the form of the data.

import { checksumHead, checksumVersion } from '../../commit/row-checksum.rule.ts';
import { formatReferences } from '../../model/reference.ts';
import { canonical, sha256 } from './canonical.ts';
import {
  hex,
  identityIn,
  isPurged,
  parsed,
  type RecordRow,
  type RecordStretch,
  referencesOf,
  type VersionRow,
} from './row.ts';

export function recordDifferences(stretch: RecordStretch): string[] {
  const { own, records, versions } = stretch;
  const stray = [...versions.keys()].filter((id) => !records.has(id)).map((id) => `versions of no record ${id}`);
  return [
    ...stray,
    ...own.flatMap((record) => [...checksumDifferences(record, stretch), ...differencesOf(record, stretch)]),
  ];
}

function differencesOf(record: RecordRow, { records, versions, importedSeq }: RecordStretch): string[] {
  const own = versions.get(record.record_id) ?? [];
  const differences = [
    ...headDifferences(record, own, importedSeq),
    ...own.flatMap((version, index) => versionDifferences(version, own[index - 1], importedSeq)),
  ];
  const { shape_id, kind, about } = record;
  if (about !== null && identityIn(about) === undefined) differences.push(`what it is about, ${about}, is no identity`);
  if ((kind === 'shape') !== (shape_id === 0)) differences.push(`it is a ${kind} and its shape is ${shape_id}`);
  if (shape_id !== 0 && records.get(shape_id)?.kind !== 'shape') differences.push(`its shape ${shape_id} is none`);
  if ((kind === 'assertion') !== (about !== null)) differences.push(`it is a ${kind} and about ${about}`);
  return differences.map((difference) => `record ${record.record_id}: ${difference}`);
}

function checksumDifferences(record: RecordRow, { repoId, versions }: RecordStretch): string[] {
  const { record_id, crc } = record;
  const own = versions.get(record_id) ?? [];
  const wrong = own.filter((version) => checksumVersion(repoId, version) !== version.crc);
  return [
    ...(checksumHead(repoId, record) === crc ? [] : [`record ${record_id}: its checksum is wrong`]),
    ...wrong.map(({ version }) => `record ${record_id}: version ${version}: its checksum is wrong`),
  ];
}

function headDifferences(record: RecordRow, own: readonly VersionRow[], importedSeq: number): string[] {
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return ['it has no version'];
  const begun = first.from_seq <= importedSeq ? Math.min(record.created_seq, first.from_seq) : first.from_seq;
  const head = [record.version, record.active, record.created_seq, record.updated_seq];
  const ends = [last.version, last.active, begun, last.from_seq];
  return [
    ...(String(head) === String(ends) ? [] : [`its head says ${head}, and its versions ${ends}`]),
    ...(last.to_seq === null ? [] : [`its last version ended at ${last.to_seq}`]),
  ];
}

function versionDifferences(version: VersionRow, before: VersionRow | undefined, importedSeq: number): string[] {
  const { operation, active, data, data_hash } = version;
  const differences = version.from_seq <= importedSeq ? [] : orderDifferences(version, before);
  if ((operation === 'retract') !== (active === 0)) differences.push(`${operation} left it with active ${active}`);
  const isWritten = isPurged(version) || hex(sha256(data)) === hex(data_hash);
  if (!isWritten) differences.push('its hash is not that of its data');
  else if (canonical(parsed(data)) !== data) differences.push('its data is not in canonical form');
  if (formatReferences(referencesOf(version)) !== version.refs) differences.push('its references are damaged');
  return differences.map((difference) => `version ${version.version}: ${difference}`);
}

/** Between one version and the next. */
function orderDifferences(row: VersionRow, before: VersionRow | undefined): string[] {
  const differences = placeDifferences(row, before);
  if ((row.operation === 'add') !== (before === undefined)) differences.push(`it was made by ${row.operation}`);
  if (row.operation === 'retract') differences.push(...retractionDifferences(row, before));
  return differences;
}

function placeDifferences({ version, from_seq, op_index }: VersionRow, before: VersionRow | undefined): string[] {
  if (version !== (before?.version ?? 0) + 1) return [`it follows version ${before?.version ?? 0}`];
  if (before === undefined) return [];
  if (before.to_seq !== from_seq) return [`it begins at ${from_seq}, and the one before ended at ${before.to_seq}`];
  const isEarlier = before.from_seq > from_seq || (before.from_seq === from_seq && before.op_index >= op_index);
  return isEarlier ? ['it is from before the one before'] : [];
}

/** To retract a record says nothing new about it: its data stays what it was, with the names and the shape of then. */
function retractionDifferences(version: VersionRow, before: VersionRow | undefined): string[] {
  if (before?.active !== 1) return ['it was retracted twice'];
  const { data, refs, shape_version } = version;
  const isKept = data === before.data && refs === before.refs && shape_version === before.shape_version;
  return isKept ? [] : ['it was changed by being retracted'];
}
