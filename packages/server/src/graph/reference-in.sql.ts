// What refers to a record: from its own repository, and from others, each as it stood at one sequence. References of
// records that are retracted or hidden are passed over.

import type { Reader } from '../engine/database.ts';
import { type LongRead, STEP_ROWS } from '../engine/long-read.ts';
import type { DurableIdParts } from '../model/durable-id.ts';
import { findActive, type SightRequest, type SightRow, type Source } from '../read/record-sight.sql.ts';
import {
  BEGINNING,
  isTrueAt,
  type ReferenceRow,
  readStretches,
  type Stretch,
  type StretchPart,
} from './reference-stretch.sql.ts';

const STRETCHES_MAX = 200;

/** Where in a list a reference stands. */
export interface IncomingPlace {
  readonly repoId: number;
  readonly role: string;
  readonly recordId: number;
  readonly path: string;
}

export interface Incoming extends IncomingPlace {
  readonly source: Source;
  /** Who refers. */
  readonly sight: SightRow;
  readonly targetVersion: number;
}

export interface IncomingPage {
  readonly target: DurableIdParts;
  /** Only references to this version of the target. */
  readonly targetVersion: number | undefined;
  readonly roles: readonly string[];
  /** In the order of the list, from the place on. */
  readonly sources: readonly Source[];
  readonly after: IncomingPlace | undefined;
  readonly limit: number;
  readonly longRead: LongRead;
}

/**
 * By source, role, record and path. Few stretches have many rows and most have none, so the steps adapt. The first has room for a
 * whole page in every role, so that a large page takes no more of them than a small one.
 */
export async function listIncoming(reader: Reader, page: IncomingPage): Promise<Incoming[]> {
  const found: Incoming[] = [];
  const stepRows = Math.max(STEP_ROWS, page.roles.length * page.limit);
  let open = stretchesOf(page);
  for (let width = page.roles.length; open.length > 0 && found.length < page.limit; ) {
    const next = open.slice(0, width);
    const rowsEach = Math.min(page.limit, Math.floor(stepRows / next.length));
    const parts = upToCut(await readStretches(reader, next, rowsEach), page.limit - found.length);
    found.push(...(await seeReferences(reader, page, parts)));
    const rest = parts.at(-1)?.rest;
    open = [...(rest === undefined ? [] : [rest]), ...open.slice(parts.length)];
    width = rest === undefined ? Math.min(width * 4, STRETCHES_MAX) : Math.max(1, width >> 2);
    await page.longRead.turn();
  }
  return found.slice(0, page.limit);
}

/** What is left of the list after the place. */
function stretchesOf({ target, roles, sources, after }: IncomingPage): Stretch[] {
  const all = sources.flatMap(({ grant: { repoId } }) =>
    roles.map((role): Stretch => ({ target, role, repoId, after: BEGINNING })),
  );
  if (after === undefined) return all;
  const at = all.findIndex(({ repoId, role }) => repoId === after.repoId && role === after.role);
  const [first, ...others] = all.slice(at);
  // A caller who may not read the repository any more goes on with the next.
  if (at === -1 || first === undefined) return all;
  const { recordId, path } = after;
  return [{ ...first, after: { recordId, path, fromSeq: Number.MAX_SAFE_INTEGER } }, ...others];
}

/** What lies behind a stretch that has more rows comes later in the list than those; what lies behind the page is not needed. */
function upToCut(parts: readonly StretchPart[], wanted: number): readonly StretchPart[] {
  let rows = 0;
  const cut = parts.findIndex((part) => {
    rows += part.rows.length;
    return part.rest !== undefined || rows >= wanted;
  });
  return cut === -1 ? parts : parts.slice(0, cut + 1);
}

interface PlacedRow {
  readonly stretch: Stretch;
  readonly source: Source;
  readonly row: ReferenceRow;
}

async function seeReferences(reader: Reader, page: IncomingPage, parts: readonly StretchPart[]): Promise<Incoming[]> {
  const rows = parts.flatMap((part) => trueRowsOf(page, part));
  const requests = new Map<string, SightRequest>();
  for (const { source, row } of rows) requests.set(keyOf(source, row), { source, recordId: row.record_id });
  const sights = await findActive(reader, [...requests.values()]);
  const byKey = new Map([...requests.keys()].map((key, index) => [key, sights[index]]));
  return rows.flatMap(({ stretch: { repoId, role }, source, row }): Incoming[] => {
    const sight = byKey.get(keyOf(source, row));
    if (sight === undefined) return [];
    const { record_id: recordId, path, target_version: targetVersion } = row;
    return [{ source, sight, repoId, role, recordId, path, targetVersion }];
  });
}

const keyOf = ({ grant }: Source, { record_id }: ReferenceRow) => `${grant.repoId} ${record_id}`;

function trueRowsOf({ sources, targetVersion }: IncomingPage, { stretch, rows }: StretchPart): PlacedRow[] {
  const source = sources.find(({ grant }) => grant.repoId === stretch.repoId);
  if (source === undefined) return [];
  return rows
    .filter((row) => isTrueAt(row, source.atRepoSeq))
    .filter(({ target_version }) => targetVersion === undefined || target_version === targetVersion)
    .map((row) => ({ stretch, source, row }));
}
