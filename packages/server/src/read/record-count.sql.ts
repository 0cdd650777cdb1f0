// Counts records by kind and shape. No index bounds a count, so it runs on a worker thread.
import type { RecordItem } from '@cairn/protocol/record';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing, coversShape } from '../access/narrowing.rule.ts';
import type { BulkStatement, Database } from '../engine/database.ts';
import { LongRead, STEP_ROWS } from '../engine/read-bounds.ts';
import { type NamedRow, NOW_COLUMNS, toNamed } from './hidden-target.sql.ts';
import { nameAt, versionAt } from './target-name.sql.ts';

const ADVICE = 'Leave out atRepoSeq, or use a token for the whole repository or for whole shapes, which is fast.';

type Kind = RecordItem['kind'];

export interface RecordCounts {
  readonly counts: Readonly<Record<Kind, number>>;
  readonly retracted: number;
  readonly shapes: readonly { name: string; count: number }[];
}

export async function countByShape(database: Database, grant: Grant, atRepoSeq: number): Promise<RecordCounts> {
  const tally = new Tally();
  const request = { atRepoSeq, read: new LongRead(ADVICE) };
  const shapes: CountedRow[] = [];
  for await (const rows of shownRecords(database, grant, { ...request, shapeId: 0 })) shapes.push(...rows);
  for (const shape of shapes) tally.add(shape);
  if (grant.narrowing === undefined) await tallyGroups(database, grant, { ...request, tally, counting: COUNT_ALL });
  else await tallyShown(database, grant, { ...request, tally, shapes });
  return { counts: tally.counts, retracted: tally.retracted, shapes: tally.toShapeCounts(shapes) };
}

interface CountRequest {
  readonly atRepoSeq: number;
  readonly read: LongRead;
}

class Tally {
  readonly counts: Record<Kind, number> = { thing: 0, assertion: 0, shape: 0, collection: 0 };
  retracted = 0;
  readonly #byShape = new Map<number, number>();

  add({ kind, shape_id, active, count = 1 }: { kind: Kind; shape_id: number; active: number; count?: number }): void {
    if (active === 0) {
      this.retracted += count;
      return;
    }
    this.counts[kind] += count;
    this.#byShape.set(shape_id, (this.#byShape.get(shape_id) ?? 0) + count);
  }

  toShapeCounts(shapes: readonly CountedRow[]): { name: string; count: number }[] {
    return shapes
      .map(({ record_id, name, active }) => ({ name, active, count: this.#byShape.get(record_id) ?? 0 }))
      .filter(({ active, count }) => active === 1 || count > 0)
      .map(({ name, count }) => ({ name, count }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** Most records have not changed since, so their head row suffices. */
const ACTIVE = `case when r.updated_seq <= $2 then r.active else (select v.active from version v
  where v.repo_id = $1 and v.record_id = r.record_id and v.version = ${versionAt('r', '$2')}) end as active`;

const grouped = (records: string) => `select kind, shape_id, active, existed, count(*) as count, max(record_id) as last
  from (select r.record_id, r.kind, r.shape_id, ${ACTIVE},
    case when r.created_seq <= $2 then 1 else 0 end as existed from ${records} as r) as found
  group by kind, shape_id, active, existed`;

const counting = (condition: string, place: number): { all: string; step: string } => ({
  all: grouped(`(select * from record where repo_id = $1 and ${condition})`),
  step: grouped(`(select * from record where repo_id = $1 and ${condition} and record_id > $${place}
    order by record_id limit $${place + 1})`),
});

const COUNT_ALL = counting('shape_id <> 0', 3);
const COUNT_SHAPE = counting('shape_id = $3', 4);

interface GroupRow {
  readonly kind: Kind;
  readonly shape_id: number;
  readonly active: number;
  readonly existed: number;
  readonly count: number;
  readonly last: number;
}

interface TallyRequest extends CountRequest {
  readonly tally: Tally;
}

interface GroupRequest extends TallyRequest {
  readonly counting: { all: string; step: string };
  readonly params?: readonly number[];
}

/** One statement at the head. Older sequences may need history for each record, so they go in steps. */
async function tallyGroups(
  database: Database,
  { repoId, repository }: Grant,
  { atRepoSeq, tally, read, counting, params = [] }: GroupRequest,
): Promise<void> {
  const common = [repoId, atRepoSeq, ...params];
  const add = (groups: readonly GroupRow[]) => {
    for (const group of groups) if (group.existed === 1) tally.add(group);
  };
  if (atRepoSeq === repository.repoSeq) return add(await database.beside.query<GroupRow>(counting.all, common));
  for (let after = 0; ; ) {
    const groups = await database.beside.query<GroupRow>(counting.step, [...common, after, STEP_ROWS]);
    add(groups);
    const seen = groups.reduce((sum, { count }) => sum + count, 0);
    // Ids grow with time: after a record that is too new, no older one follows.
    if (seen < STEP_ROWS || groups.some(({ existed }) => existed === 0)) return;
    after = Math.max(...groups.map(({ last }) => last));
    await read.turn();
  }
}

/** A visible record has a visible shape, so records of hidden shapes need no check. */
async function tallyShown(
  database: Database,
  grant: Grant,
  { shapes, ...request }: TallyRequest & { shapes: readonly CountedRow[] },
): Promise<void> {
  for (const shape of shapes) {
    await request.read.turn();
    const shapeId = shape.record_id;
    if (showsWhole(grant, shape)) {
      await tallyGroups(database, grant, { ...request, counting: COUNT_SHAPE, params: [shapeId] });
      continue;
    }
    for await (const rows of shownRecords(database, grant, { ...request, shapeId })) {
      for (const row of rows) request.tally.add(row);
    }
  }
}

function showsWhole({ narrowing = [] }: Grant, shape: CountedRow): boolean {
  const { shapeId, called } = toNamed(shape);
  return narrowing.every((entries) =>
    called.every(({ shapeName }) => entries.some((entry) => coversShape(entry, { shapeName, shapeId }))),
  );
}

interface CountedRow extends NamedRow {
  readonly kind: Kind;
  readonly active: number;
  readonly created_seq: number;
}

const recordsOfShape = (active: string, by = '') => `select r.record_id, r.kind, r.created_seq,
    ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name, ${NOW_COLUMNS}, ${ACTIVE}
  from record r ${by} left join record s on s.repo_id = $1 and s.record_id = r.shape_id
  where r.repo_id = $1 and r.shape_id = $3 and r.active = ${active} and r.record_id > $4 order by r.record_id limit $5`;

const RECORDS_OF_SHAPE: BulkStatement = {
  // Without the hint, SQLite may scan all records of the repository.
  each: recordsOfShape('$6', 'indexed by record_by_shape'),
  set: `select k.ord::int as ord, found.* from unnest($6::bigint[]) with ordinality as k (active, ord)
    cross join lateral (${recordsOfShape('k.active')}) as found`,
};

interface ShownRequest extends CountRequest {
  readonly shapeId: number;
}

async function* shownRecords(
  database: Database,
  { repoId, narrowing }: Grant,
  { atRepoSeq, read, shapeId }: ShownRequest,
): AsyncGenerator<CountedRow[]> {
  const isShown = compileNarrowing(narrowing);
  for (let after = 0; ; ) {
    const common = [repoId, atRepoSeq, shapeId, after, STEP_ROWS];
    const found = await database.beside.bulk<CountedRow>(RECORDS_OF_SHAPE, { common, rows: [[1], [0]] });
    const rows = found.sort((a, b) => a.record_id - b.record_id).slice(0, STEP_ROWS);
    yield rows.filter((row) => row.created_seq <= atRepoSeq && isShown(toNamed(row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < STEP_ROWS || last.created_seq > atRepoSeq) return;
    after = last.record_id;
    await read.turn();
  }
}
