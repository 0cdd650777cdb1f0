// Records and their versions: numbers without a gap, times that join, hashes and the form of the data.
import { canonical, sha256 } from './canonical.ts';
import { hex, type RecordRow, type RepositoryRows, type VersionRow } from './row.ts';

export function recordDifferences(rows: RepositoryRows): string[] {
  const { records, versions } = rows;
  const stray = [...versions.keys()].filter((id) => !records.has(id)).map((id) => `versions of no record ${id}`);
  return [...stray, ...[...records.values()].flatMap((record) => differencesOf(record, rows))];
}

function differencesOf(record: RecordRow, { records, versions }: RepositoryRows): string[] {
  const own = versions.get(record.record_id) ?? [];
  const differences = [
    ...headDifferences(record, own),
    ...own.flatMap((version, index) => versionDifferences(version, own[index - 1])),
  ];
  const { shape_id, kind, about } = record;
  if ((kind === 'shape') !== (shape_id === 0)) differences.push(`it is a ${kind} and its shape is ${shape_id}`);
  if (shape_id !== 0 && records.get(shape_id)?.kind !== 'shape') differences.push(`its shape ${shape_id} is none`);
  if ((kind === 'assertion') !== (about !== null)) differences.push(`it is a ${kind} and about ${about}`);
  return differences.map((difference) => `record ${record.record_id}: ${difference}`);
}

function headDifferences(record: RecordRow, own: readonly VersionRow[]): string[] {
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return ['it has no version'];
  const head = [record.version, record.active, record.created_seq, record.updated_seq];
  const ends = [own.length, last.active, first.from_seq, last.from_seq];
  return [
    ...(String(head) === String(ends) ? [] : [`its head says ${head}, and its versions ${ends}`]),
    ...(last.to_seq === null ? [] : [`its last version ended at ${last.to_seq}`]),
  ];
}

function versionDifferences(version: VersionRow, before: VersionRow | undefined): string[] {
  const { operation, active, data, data_hash } = version;
  const differences = orderDifferences(version, before);
  if ((operation === 'add') !== (before === undefined)) differences.push(`it was made by ${operation}`);
  if ((operation === 'retract') !== (active === 0)) differences.push(`${operation} left it with active ${active}`);
  if (operation === 'retract') differences.push(...retractionDifferences(version, before));
  if (hex(sha256(data)) !== hex(data_hash)) differences.push('its hash is not that of its data');
  if (canonical(JSON.parse(data)) !== data) differences.push('its data is not in canonical form');
  return differences.map((difference) => `version ${version.version}: ${difference}`);
}

function orderDifferences({ version, from_seq, op_index }: VersionRow, before: VersionRow | undefined): string[] {
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
