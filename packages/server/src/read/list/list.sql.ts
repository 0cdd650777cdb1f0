// Lists of records. Candidates from an index are checked against the filter in SQL until a page is full. Slow reads
// continue on a worker thread.
import type { Grant } from '../../access/grant.rule.ts';
import type { Database, Reader } from '../../engine/database.ts';
import { LongRead, STEP_ROWS } from '../../engine/read-bounds.ts';
import type { SearchWord } from '../../search/search-text.rule.ts';
import { CandidateFilter, findShapeSights, type ListedRow, type ShapeSight } from './candidate-filter.sql.ts';
import { gatherAbout } from './collected.sql.ts';
import {
  type ChosenShape,
  comparePositions,
  type ListOrder,
  type Position,
  type RecordFilter,
  type Walk,
} from './list-request.sql.ts';
import { gatherFound, SearchWalk, WalkAmong } from './name-walk.sql.ts';
import { RangeScan, type ScanScope } from './record-condition.sql.ts';
import { isStillHead } from './record-walk.sql.ts';
import { chooseSource, type Source, streamAbout, type WalkedSource } from './source.sql.ts';

const CANDIDATES_FIRST = 256;
const VALUES_A_STEP = 100_000;
const NEAR_STEPS = 4;
/** If the index matches a larger part than this, check whether the matches cluster at the start of the list. */
const RATE_OF_MANY = 0.12;

interface ListRequest {
  readonly filter: RecordFilter;
  readonly order: ListOrder;
}

interface Page {
  readonly after: Position | undefined;
  readonly limit: number;
  readonly maxBytes: number;
}

type Further = Required<Pick<WalkedSource, 'byValue'>> & { readonly scan: ScanScope };

interface Listed {
  readonly rows: readonly ListedRow[];
  readonly more: boolean;
}

export async function listRecords(
  database: Database,
  grant: Grant,
  { filter, order, ...page }: ListRequest & Page,
): Promise<Listed> {
  const list = await RecordList.prepare(database, grant, { filter, order });
  return await list.page(page);
}

export async function countRecords(database: Database, grant: Grant, filter: RecordFilter): Promise<number> {
  const whole = await countWhole(database, grant, filter);
  if (whole !== undefined) return whole;
  const list = await RecordList.prepare(database, grant, { filter, order: 'created' });
  return await list.count();
}

class RecordList {
  readonly #database: Database;
  readonly #grant: Grant;
  readonly #request: ListRequest;
  readonly #shapes: readonly ShapeSight[];
  readonly #candidates: CandidateFilter;
  readonly #read: LongRead;

  private constructor(database: Database, grant: Grant, request: ListRequest, shapes: readonly ShapeSight[]) {
    const { filter, order } = request;
    this.#database = database;
    this.#grant = grant;
    this.#request = request;
    this.#shapes = shapes;
    const held = isFoundByName(filter) ? { ...filter, match: undefined } : filter;
    this.#candidates = new CandidateFilter(grant, { filter: held, order, shapes, dialect: database.dialect });
    this.#read = new LongRead(adviceFor(filter));
  }

  static async prepare(database: Database, grant: Grant, request: ListRequest): Promise<RecordList> {
    const { filter } = request;
    const shapes = await shapesFor(database, grant, filter);
    return new RecordList(database, grant, request, shapes);
  }

  async page({ after, limit, maxBytes }: Page): Promise<Listed> {
    const source = await this.#source();
    const rows =
      'recordIds' in source
        ? await this.#first(source.recordIds, { after, limit: limit + 1, maxBytes })
        : await this.#walk(source, { after, limit: limit + 1, maxBytes });
    const fitting = countWithin(rows, maxBytes);
    const shown = rows.slice(0, Math.min(limit, fitting));
    return { rows: shown, more: rows.length > shown.length };
  }

  async count(): Promise<number> {
    const source = await this.#source();
    if ('recordIds' in source) return (await this.#sort(source.recordIds, undefined)).length;
    if (source.scan !== undefined && this.#candidates.isAllSql) return await this.#scanCount(source.scan);
    let count = 0;
    for (let after: Position | undefined; ; ) {
      const { found, done } = await source.walk.next(this.#database.beside, after, STEP_ROWS);
      count += (await this.#candidates.keep(this.#database.beside, found)).length;
      if (done) return count;
      after = found.at(-1)?.position;
      await this.#read.turn();
    }
  }

  async #scanCount(scope: ScanScope): Promise<number> {
    const scan = new RangeScan(this.#candidates.condition, scope);
    const { beside } = this.#database;
    let count = 0;
    for (let after: Position | undefined; ; ) {
      const step = await scan.count(beside, { after, limit: STEP_ROWS });
      count += step.count;
      if (step.done) break;
      after = step.after;
      await this.#read.turn();
    }
    if (scope.shapeId === undefined || (await isStillHead(this.#database, this.#grant))) return count;
    return await this.#scanCount({ ...scope, shapeId: undefined });
  }

  async #source(): Promise<Source> {
    const { filter, order } = this.#request;
    if (filter.search !== undefined) return await this.#found(filter.search);
    const [database, grant, shapes] = [this.#database, this.#grant, this.#shapes];
    const request = { database, grant, filter, order: order === 'best' ? ('created' as const) : order, shapes };
    if (filter.about === undefined) return await chooseSource(request);
    return streamAbout(request) ?? { recordIds: await this.#gather() };
  }

  async #found(words: readonly SearchWord[]): Promise<Source> {
    const { filter, order } = this.#request;
    const search = { database: this.#database, grant: this.#grant, words };
    const among = filter.about === undefined ? undefined : await this.#gather();
    if (order === 'best') {
      const walk = new SearchWalk(search);
      return { walk: among === undefined ? walk : new WalkAmong(walk, among), bounded: false };
    }
    const found = await gatherFound(search);
    const wanted = among === undefined ? undefined : new Set(among);
    return { recordIds: wanted === undefined ? found : found.filter((recordId) => wanted.has(recordId)) };
  }

  async #gather(): Promise<number[]> {
    const { filter } = this.#request;
    const { about, atRepoSeq, includeRetracted, follow } = filter;
    if (about === undefined) return [];
    // Only records that the caller may see lead further, whatever the filter says.
    const seen = new RecordList(
      this.#database,
      this.#grant,
      { filter: { atRepoSeq, includeRetracted, follow, where: [] }, order: 'created' },
      this.#shapes,
    );
    const keepShown = async (ids: readonly number[]) =>
      (await seen.#sort(ids, undefined)).map(({ recordId }) => recordId);
    return await gatherAbout(this.#database.beside, this.#grant, { about, atRepoSeq, keepShown });
  }

  async #walk({ walk, bounded, beside, scan, byValue }: WalkedSource, page: Page): Promise<ListedRow[]> {
    if (scan !== undefined && byValue !== undefined) return await this.#goOn({ scan, byValue }, page, RATE_OF_MANY);
    const rows: ListedRow[] = [];
    let reader: Reader = beside ? this.#database.beside : this.#database;
    let step = bounded ? page.limit : Math.max(page.limit, CANDIDATES_FIRST);
    for (let { after } = page; ; ) {
      const { found, done } = await walk.next(reader, after, step);
      rows.push(...(await this.#candidates.keep(reader, found)));
      if (done || isFull(rows, page)) return rows;
      after = found.at(-1)?.position ?? after;
      await this.#read.turn();
      if (scan !== undefined) {
        const rest = { ...page, after, limit: page.limit - rows.length };
        return [...rows, ...(await this.#goOn({ scan, byValue }, rest, rows.length / step))];
      }
      reader = this.#database.beside;
      step = STEP_ROWS;
    }
  }

  async #walkByValue(walk: Walk, page: Page): Promise<ListedRow[]> {
    const { beside } = this.#database;
    const rows: ListedRow[] = [];
    for (
      let { after } = page, step = Math.max(page.limit, CANDIDATES_FIRST);
      ;
      step = Math.min(4 * step, VALUES_A_STEP)
    ) {
      const { found, done } = await walk.next(beside, after, step);
      for (let at = 0; at < found.length; at += STEP_ROWS) {
        rows.push(...(await this.#candidates.keep(beside, found.slice(at, at + STEP_ROWS))));
        if (isFull(rows, page)) return rows;
        await this.#read.turn();
      }
      if (done) return rows;
      after = found.at(-1)?.position ?? after;
    }
  }

  async #goOn({ scan: scope, byValue }: Further, page: Page, rate: number): Promise<ListedRow[]> {
    const scan = new RangeScan(this.#candidates.condition, scope);
    const { beside } = this.#database;
    const rows: ListedRow[] = [];
    for (let { after } = page, likely = rate, looked = 0; ; ) {
      const rest = () => ({ ...page, after, limit: page.limit - rows.length });
      const limit = candidatesFor(rest().limit, likely);
      const step = await scan.next(beside, { after, limit });
      if (scope.shapeId !== undefined && !(await isStillHead(this.#database, this.#grant))) {
        const further = { scan: { ...scope, shapeId: undefined }, byValue };
        return [...rows, ...(await this.#goOn(further, rest(), likely))];
      }
      rows.push(...(await this.#candidates.keepPointing(beside, step.rows)));
      if (step.done || isFull(rows, page)) return rows;
      after = step.after;
      looked += limit;
      likely = rows.length / looked;
      await this.#read.turn();
      // Finishing by steps is cheaper than using the index if only a few are left.
      if (byValue !== undefined && !isNear(rest().limit, likely)) {
        return [...rows, ...(await this.#walkByValue(byValue, rest()))];
      }
    }
  }

  /** Ids are in creation order, so few of many candidates need a check. */
  async #first(recordIds: readonly number[], page: Page): Promise<ListedRow[]> {
    const { order } = this.#request;
    if (order !== 'created' && order !== '-created') return await this.#sort(recordIds, page.after);
    const sign = order === 'created' ? 1 : -1;
    const start = page.after === undefined ? undefined : Number(page.after[0]);
    const ahead = recordIds
      .filter((recordId) => start === undefined || sign * (recordId - start) > 0)
      .sort((a, b) => sign * (a - b));
    const rows: ListedRow[] = [];
    for (let at = 0; at < ahead.length && rows.length < page.limit; at += CANDIDATES_FIRST) {
      if (at > 0) await this.#read.turn();
      rows.push(...(await this.#sort(ahead.slice(at, at + CANDIDATES_FIRST), undefined)));
    }
    return rows;
  }

  async #sort(recordIds: readonly number[], after: Position | undefined): Promise<ListedRow[]> {
    const rows: ListedRow[] = [];
    for (let at = 0; at < recordIds.length; at += STEP_ROWS) {
      if (at > 0) await this.#read.turn();
      const some = recordIds.slice(at, at + STEP_ROWS).map((recordId) => ({ recordId, position: undefined }));
      rows.push(
        ...(await this.#candidates.keep(some.length > CANDIDATES_FIRST ? this.#database.beside : this.#database, some)),
      );
    }
    const sign = this.#request.order.startsWith('-') ? -1 : 1;
    rows.sort((a, b) => sign * comparePositions(a.position, b.position));
    return after === undefined ? rows : rows.filter(({ position }) => sign * comparePositions(position, after) > 0);
  }
}

function isFoundByName({ match, about, search }: RecordFilter): boolean {
  return match !== undefined && !match.includes('*') && about === undefined && search === undefined;
}

async function shapesFor(reader: Reader, grant: Grant, filter: RecordFilter): Promise<ShapeSight[]> {
  const { shape, about, search, match, atRepoSeq } = filter;
  if (grant.narrowing !== undefined) return await findShapeSights(reader, grant, atRepoSeq);
  if (shape !== undefined) return [seenWhole(shape)];
  const isFound = about !== undefined || search !== undefined || (match !== undefined && !match.includes('*'));
  return isFound ? [] : await findShapeSights(reader, grant, atRepoSeq);
}

const seenWhole = ({ shapeId, name }: ChosenShape): ShapeSight => ({
  shapeId,
  name,
  nameNow: name,
  shown: true,
  records: 'all',
});

function candidatesFor(missing: number, rate: number): number {
  return Math.min(STEP_ROWS, Math.max(CANDIDATES_FIRST, Math.ceil((1.5 * missing) / rate)));
}

const isNear = (missing: number, rate: number) => missing / rate <= NEAR_STEPS * STEP_ROWS;

const isFull = (rows: readonly ListedRow[], { limit, maxBytes }: Page) =>
  rows.length >= limit || countWithin(rows, maxBytes) < rows.length;

function countWithin(rows: readonly ListedRow[], maxBytes: number): number {
  let bytes = 0;
  const beyond = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes > maxBytes;
  });
  return beyond === -1 ? rows.length : Math.max(1, beyond);
}

function adviceFor({ where, match, shape }: RecordFilter): string {
  const fields = where.map(({ pointer }) => pointer).join(', ');
  if (fields !== '') return `Index one of its fields (${fields}) in the shape, or narrow the list with match.`;
  if (match !== undefined) return 'Start the glob with more of the name, such as Sensor/t*, or use order=name.';
  return shape === undefined ? 'Ask for one shape, or page through the records.' : 'Page through the records instead.';
}

/** Counts from the head rows alone. `undefined` if that is impossible, or the repository has changed meanwhile. */
async function countWhole({ beside }: Database, grant: Grant, filter: RecordFilter): Promise<number | undefined> {
  if (!isUnfiltered(grant, filter)) return undefined;
  const { shape, kind } = filter;
  const [row] = await beside.query<{ count: number }>(
    `select count(*) as count from record where repo_id = $1 and active = 1
       ${shape === undefined ? '' : 'and shape_id = $2'} ${kind === undefined ? '' : `and kind = '${kind}'`}`,
    shape === undefined ? [grant.repoId] : [grant.repoId, shape.shapeId],
  );
  return (await isStillHead(beside, grant)) ? row?.count : undefined;
}

function isUnfiltered({ narrowing, repository }: Grant, filter: RecordFilter): boolean {
  const { atRepoSeq, match, where, about, search, includeRetracted } = filter;
  if (narrowing !== undefined || includeRetracted || atRepoSeq !== repository.repoSeq) return false;
  return match === undefined && where.length === 0 && about === undefined && search === undefined;
}
