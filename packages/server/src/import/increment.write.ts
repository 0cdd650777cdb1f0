// Applies an increment to a copy in one transaction, so readers see all of it or nothing.

import { parseIdentity } from '@cairn/model/wref';
import type { WriterMemory } from '../commit/record-set.sql.ts';
import {
  CLOSE_FIELD_INDEX,
  CLOSE_NAMES,
  CLOSE_SHAPE_FIELDS,
  FIND_LAST_FIELDS,
  FIND_SHAPE_FIELDS,
  INSERT_FIELD_INDEX,
  INSERT_SHAPE_FIELDS,
  type ShapeFieldRow,
} from '../commit/statement.sql.ts';
import type { Transaction, Value } from '../engine/database.ts';
import { isSameKey, keysOf } from '../shape/field-index.sql.ts';
import type { KeptRow } from './append.write.ts';
import { checkTargets, findLost, type ImportTarget, targetsOf, writeEntries } from './finish.write.ts';
import type { ImportRow } from './import-row.sql.ts';
import { findHeld, localOf, type MappedRow, nameOf, type PlannedRecord } from './record-plan.sql.ts';
import { writeRows } from './record-write.write.ts';
import { FIND_NAMES, type HeldRow, holdCommit } from './statement.sql.ts';

const ROWS_A_PAGE = 1_000;
const BYTES_A_PAGE = 4 * 1_024 * 1_024;

export async function applyIncrement(tx: Transaction, row: ImportRow, memory: WriterMemory): Promise<number> {
  let added = 0;
  // Frees all names first, because two records may have swapped theirs.
  for await (const rows of pagesOf(tx, row)) await freeNames(tx, row, rows);
  const shapes = new Map<number, MappedRow>();
  const ahead: ImportTarget[] = [];
  for await (const rows of pagesOf(tx, row)) {
    const planned = await writeRows(tx, row, { rows, held: await findHeld(tx, row.repo_id, idsOf(rows)) });
    await keepFieldIndex(tx, row, planned);
    ahead.push(...(await findAhead(tx, row, rows)));
    for (const { held, last, fresh } of planned) {
      if (last.kind === 'shape') added += fresh.length;
      else if (held === undefined) added += 1;
      if (last.kind === 'shape' && fresh.length > 0) shapes.set(last.recordId, last);
    }
  }
  await checkTargets(tx, row.repo_id, ahead);
  await holdCommit(tx, row);
  while ((await writeEntries(tx, row)) > 0);
  await indexFields(tx, row, { shapes, memory });
  await tx.query('delete from import_line where repo_id = $1', [row.repo_id]);
  return added;
}

const idsOf = (rows: readonly MappedRow[]) => rows.map(({ recordId }) => recordId);

async function* pagesOf(tx: Transaction, row: ImportRow): AsyncGenerator<MappedRow[]> {
  let rest: MappedRow[] = [];
  for (let after = 0; ; ) {
    const end = await endOfPage(tx, row, after);
    const found = end === undefined ? [] : await readKept(tx, row, [after, end]);
    const rows = [...rest, ...found];
    const whole = end === undefined ? rows.length : rows.findLastIndex(isOther(rows.at(-1))) + 1;
    if (whole > 0) yield rows.slice(0, whole);
    if (end === undefined) return;
    rest = rows.slice(whole);
    after = end;
  }
}

const isOther = (last: MappedRow | undefined) => (row: MappedRow) => row.recordId !== last?.recordId;

async function endOfPage(tx: Transaction, { repo_id }: ImportRow, after: number): Promise<number | undefined> {
  const sizes = await tx.query<{ line: number; bytes: number }>(
    `select line, octet_length(content) as bytes from import_line where repo_id = $1 and line > $2
     order by line limit ${ROWS_A_PAGE}`,
    [repo_id, after],
  );
  let bytes = 0;
  const beyond = sizes.findIndex((size) => {
    bytes += size.bytes;
    return bytes > BYTES_A_PAGE;
  });
  return sizes.at(beyond === -1 ? -1 : Math.max(0, beyond - 1))?.line;
}

async function readKept(tx: Transaction, { repo_id }: ImportRow, [after, end]: [number, number]): Promise<MappedRow[]> {
  const found = await tx.query<{ content: string }>(
    'select content from import_line where repo_id = $1 and line > $2 and line <= $3 order by line',
    [repo_id, after, end],
  );
  return found.map(({ content }) => toRow(JSON.parse(content)));
}

function toRow(kept: KeptRow): MappedRow {
  return { ...kept, dataHash: Uint8Array.from(Buffer.from(kept.dataHash, 'hex')) };
}

async function freeNames(tx: Transaction, { repo_id, at_seq }: ImportRow, rows: readonly MappedRow[]): Promise<void> {
  const names = new Map(rows.map((row) => [row.recordId, localOf(row)]));
  const held = await tx.bulk<Pick<HeldRow, 'record_id' | 'shape_id' | 'name'>>(FIND_NAMES, {
    common: [repo_id],
    rows: [...names.keys()].map((id) => [id]),
  });
  const given = held.filter(({ record_id, name }) => names.get(record_id) !== name);
  await tx.bulk(CLOSE_NAMES, { common: [repo_id], rows: given.map(({ shape_id, name }) => [shape_id, name, at_seq]) });
}

async function findAhead(tx: Transaction, { repo_id }: ImportRow, rows: readonly MappedRow[]): Promise<ImportTarget[]> {
  const targets = rows.flatMap((row) => {
    const about = row.about?.identity === undefined ? [] : [{ path: '', ...parseIdentity(row.about.identity) }];
    return targetsOf(repo_id, [...row.references, ...about], `line ${row.line} (${nameOf(row)})`);
  });
  return await findLost(tx, repo_id, targets);
}

async function keepFieldIndex(tx: Transaction, row: ImportRow, planned: readonly PlannedRecord[]): Promise<void> {
  const changed = planned.filter(({ fresh }) => fresh.length > 0);
  const fields = await findFields(tx, row, new Set(changed.map(({ shapeId }) => shapeId)));
  const [closed, opened]: [Value[][], Value[][]] = [[], []];
  for (const { shapeId, held, last } of changed) {
    const indexed = fields.get(shapeId) ?? [];
    if (indexed.length === 0) continue;
    const [keyWas, keyIs] = [keysOf(held), keysOf(last)];
    for (const { field_id, path } of indexed) {
      const [was, is] = [keyWas(path), keyIs(path)];
      if (isSameKey(was, is)) continue;
      if (was !== undefined) closed.push([shapeId, field_id, was, last.recordId, row.at_seq]);
      if (is !== undefined) opened.push([shapeId, field_id, is, last.recordId, last.fromSeq]);
    }
  }
  await tx.bulk(CLOSE_FIELD_INDEX, { common: [row.repo_id], rows: closed });
  await tx.bulk(INSERT_FIELD_INDEX, { common: [row.repo_id], rows: opened });
}

async function findFields(
  tx: Transaction,
  { repo_id }: ImportRow,
  shapeIds: ReadonlySet<number>,
): Promise<Map<number, ShapeFieldRow[]>> {
  const ids = [...shapeIds].filter((id) => id !== 0);
  const rows = await tx.bulk<ShapeFieldRow>(FIND_SHAPE_FIELDS, { common: [repo_id], rows: ids.map((id) => [id]) });
  return Map.groupBy(rows, ({ ord }) => ids[ord] ?? 0);
}

async function indexFields(
  tx: Transaction,
  row: ImportRow,
  { shapes, memory }: { shapes: ReadonlyMap<number, MappedRow>; memory: WriterMemory },
): Promise<void> {
  const common = [row.repo_id];
  const ids = [...shapes.keys()];
  const present = await findFields(tx, row, new Set(ids));
  const lasts = await tx.bulk<{ last: number | null }>(FIND_LAST_FIELDS, { common, rows: ids.map((id) => [id]) });
  const [added, dropped]: [Value[][], Value[][]] = [[], []];
  for (const { ord, last } of lasts) {
    const shape = shapes.get(ids[ord] ?? 0);
    if (shape === undefined) continue;
    const { recordId, fromSeq } = shape;
    const wanted = new Set(memory.validator(shape).indexedFields.map(({ path }) => path));
    for (const { field_id, path } of present.get(recordId) ?? []) {
      if (!wanted.delete(path)) dropped.push([recordId, field_id, fromSeq]);
    }
    for (const [index, path] of [...wanted].entries()) {
      added.push([recordId, (last ?? 0) + index + 1, path, fromSeq, 0]);
    }
  }
  await tx.bulk(INSERT_SHAPE_FIELDS, { common, rows: added });
  await tx.bulk(CLOSE_SHAPE_FIELDS, { common, rows: dropped });
}
