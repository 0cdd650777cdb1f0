// Walks records by full name. Stored names are relative to their shape, so the walk goes shape by shape: `Sensor-b` and
// its records precede `Sensor/a`, because `-` sorts before `/`.

import { compareText, prefixEnd } from '@cairn/model/text-range';
import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Database, Reader } from '../../engine/database.ts';
import { tooLong } from '../../engine/read-bounds.ts';
import { findDocuments, type SearchLevel } from '../../search/search.sql.ts';
import type { SearchWord } from '../../search/search-text.rule.ts';
import type { ShapeSight } from './candidate-filter.sql.ts';
import type { Candidate, Candidates, Position, Walk } from './list-request.sql.ts';

interface NameWalkOptions {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  readonly shapes: readonly Pick<ShapeSight, 'shapeId' | 'name'>[];
  readonly shapesThemselves: readonly Pick<ShapeSight, 'shapeId' | 'name'>[];
  readonly prefix: string;
}

interface Group {
  readonly key: string;
  readonly shapeId: number;
  readonly records: boolean;
}

const GROUPS_A_STEP = 8;

const names = (shape: string, range: { start: string; end: string }) => `select record_id, name from name
  where repo_id = $1 and shape_id = ${shape} and name >= ${range.start} and name < ${range.end}
    and from_seq <= $2 and (to_seq is null or to_seq > $2) order by name limit $3`;

const WALK_NAMES: BulkStatement = {
  each: names('$4', { start: '$5', end: '$6' }),
  set: `select k.ord::int as ord, n.record_id, n.name
    from unnest($4::bigint[], $5::text[], $6::text[]) with ordinality as k (shape_id, beginning, ending, ord)
    cross join lateral (${names('k.shape_id', { start: 'k.beginning collate "C"', end: 'k.ending collate "C"' })}) as n
    order by k.ord, n.name`,
};

/** Higher than any name, because names are valid text of at most 512 bytes. */
export const BEYOND_NAMES = '\u{10ffff}'.repeat(200);

export class NameWalk implements Walk {
  readonly #options: NameWalkOptions;
  readonly #groups: readonly Group[];

  constructor(options: NameWalkOptions) {
    this.#options = options;
    const themselves = options.shapesThemselves.map(({ name, shapeId }) => ({ key: name, shapeId, records: false }));
    const ofShapes = options.shapes.map(({ name, shapeId }) => ({ key: `${name}/`, shapeId, records: true }));
    this.#groups = [...themselves, ...ofShapes]
      .filter((group) => couldBegin(group, options.prefix))
      .sort((a, b) => compareText(a.key, b.key));
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const last = String(after?.[0] ?? '');
    const ahead = this.#groups.filter((group) => isAhead(group, last));
    const found: Candidate[] = [];
    for (let at = 0; at < ahead.length; at += GROUPS_A_STEP) {
      found.push(
        ...(await this.#look(reader, ahead.slice(at, at + GROUPS_A_STEP), { last, limit: limit - found.length })),
      );
      if (found.length >= limit) return { found: found.slice(0, limit), done: false };
    }
    return { found, done: true };
  }

  async #look(
    reader: Reader,
    groups: readonly Group[],
    { last, limit }: { last: string; limit: number },
  ): Promise<Candidate[]> {
    const { grant, atRepoSeq } = this.#options;
    const asked = groups.filter(({ records }) => records);
    const rows = await reader.bulk<{ record_id: number; name: string }>(WALK_NAMES, {
      common: [grant.repoId, atRepoSeq, limit],
      rows: asked.map((group) => [group.shapeId, ...this.#rangeIn(group, last)]),
    });
    const byGroup = Map.groupBy(rows, ({ ord }) => asked[ord]);
    return groups.flatMap((group) => {
      if (!group.records) return [{ recordId: group.shapeId, position: [group.key] }];
      const inGroup = byGroup.get(group) ?? [];
      return inGroup.map(({ record_id, name }) => ({ recordId: record_id, position: [group.key + name] }));
    });
  }

  #rangeIn({ key }: Group, last: string): [string, string] {
    const local = this.#options.prefix.slice(key.length);
    // Names contain no space, so this is the first text after the last name.
    const beyond = last.startsWith(key) ? `${last.slice(key.length)} ` : '';
    const end = local === '' ? undefined : prefixEnd(local);
    return [compareText(beyond, local) > 0 ? beyond : local, end ?? BEYOND_NAMES];
  }
}

function couldBegin({ key, records }: Group, prefix: string): boolean {
  return key.startsWith(prefix) || (records && prefix.startsWith(key));
}

function isAhead({ key, records }: Group, last: string): boolean {
  return compareText(key, last) > 0 || (records && last.startsWith(key));
}

interface SearchOptions {
  readonly database: Database;
  readonly grant: Grant;
  readonly words: readonly SearchWord[];
}

const BEST: readonly SearchLevel[] = ['name', 'text'];
const DOCUMENTS_A_STEP = 2_000;
const FOUND_MAX = 200_000;

/** Positions hold the rank in `BEST` and the negated id. The index holds current words, whatever sequence is read. */
export class SearchWalk implements Walk {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  async next(_reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { database, grant, words } = this.#options;
    const found: Candidate[] = [];
    let [place, before] = after === undefined ? [0, undefined] : [Number(after[0]), -Number(after[1])];
    for (; place < BEST.length; place++, before = undefined) {
      const level = BEST[place] ?? 'any';
      const search = { repoId: grant.repoId, words, level, before, limit: limit - found.length };
      const ids = await findDocuments(database, search);
      const rank = place;
      found.push(...ids.map((recordId) => ({ recordId, position: [rank, -recordId] })));
      if (found.length >= limit) return { found, done: false };
    }
    return { found, done: true };
  }
}

export async function gatherFound({ database, grant, words }: SearchOptions): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const search = {
      repoId: grant.repoId,
      words,
      level: 'any' as const,
      before: found.at(-1),
      limit: DOCUMENTS_A_STEP,
    };
    const ids = await findDocuments(database, search);
    found.push(...ids);
    if (ids.length < DOCUMENTS_A_STEP) return found;
    if (found.length > FOUND_MAX) throw tooLong('Too many records contain these words. Leave out order, or add words.');
  }
}

export class WalkAmong implements Walk {
  readonly #walk: Walk;
  readonly #recordIds: ReadonlySet<number>;

  constructor(walk: Walk, recordIds: readonly number[]) {
    this.#walk = walk;
    this.#recordIds = new Set(recordIds);
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    let from = after;
    for (;;) {
      const { found, done } = await this.#walk.next(reader, from, limit);
      const among = found.filter(({ recordId }) => this.#recordIds.has(recordId));
      if (done || among.length > 0) return { found: among, done };
      from = found.at(-1)?.position;
    }
  }
}
