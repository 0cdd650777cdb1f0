// Goes through records that an index finds, in the order of their creation: those that are about a record, or whose field
// has a value. Each stream of the index lies in that order.
import type { BulkStatement, Reader, Value } from '../../engine/database.ts';
import type { Candidate, Candidates, Position, Walk } from './list-request.sql.ts';
import { firstOf } from './record-walk.sql.ts';

/** `$1` is the id after which it goes on, `$2` how many; then what is the same for all streams, and what is of each. */
export interface StreamStatements {
  readonly ascending: BulkStatement;
  readonly descending: BulkStatement;
}

interface StreamWalkOptions {
  readonly statements: StreamStatements;
  readonly common: readonly Value[];
  readonly streams: readonly (readonly Value[])[];
  readonly descending: boolean;
}

export class StreamWalk implements Walk {
  readonly #options: StreamWalkOptions;

  constructor(options: StreamWalkOptions) {
    this.#options = options;
  }

  async next(reader: Reader, after: Position | undefined, limit: number): Promise<Candidates> {
    const { statements, common, streams, descending } = this.#options;
    const start = Number(after?.[0] ?? (descending ? Number.MAX_SAFE_INTEGER : -1));
    const rows = await reader.bulk<{ record_id: number }>(descending ? statements.descending : statements.ascending, {
      common: [start, limit, ...common],
      rows: streams,
    });
    const found = rows.map(({ record_id }): Candidate => ({ recordId: record_id, position: [record_id] }));
    const { done, found: first } = firstOf(found, { limit, descending });
    // A record may stand in the index several times, for several stretches of time.
    return { found: first.filter(({ recordId }, index) => first[index - 1]?.recordId !== recordId), done };
  }
}

const stream = (sql: (beyond: string, direction: string) => BulkStatement): StreamStatements => ({
  ascending: sql('>', 'asc'),
  descending: sql('<', 'desc'),
});

const about = (target: { repo: string; record: string; version: string }, beyond: string, direction: string) =>
  `select record_id from ref where target_repo_id = ${target.repo} and target_id = ${target.record} and role = 'about'
    and repo_id = $3 and record_id ${beyond} $1 and (${target.version} = 0 or target_version = ${target.version})
    order by record_id ${direction} limit $2`;

/** For each target its repository, its id and its version; 0 for whichever. */
export const ABOUT_STREAMS = stream((beyond, direction) => {
  const set = (repo: string) => `select k.ord::int as ord, f.record_id
    from unnest($4::bigint[], $5::bigint[], $6::bigint[]) with ordinality as k (repo_id, record_id, version, ord)
    cross join lateral (${about({ repo, record: 'k.record_id', version: 'k.version' }, beyond, direction)}) as f`;
  return {
    each: about({ repo: '$4', record: '$5', version: '$6' }, beyond, direction),
    set: set('k.repo_id'),
    shard: { column: 0, set: set('$7') },
  };
});

interface ValueStream {
  readonly value: string;
  readonly beyond: string;
  readonly direction: string;
  /** On SQLite, which does not see by itself that this index is shorter. */
  readonly by?: string;
}

const valued = (open: boolean, { value, beyond, direction, by = '' }: ValueStream) =>
  `select record_id from field_index ${by} where repo_id = $3 and shape_id = $4 and field_id = $5 and value = ${value}
    and record_id ${beyond} $1 ${open ? 'and to_seq is null' : ''} order by record_id ${direction} limit $2`;

const valueStreams = (open: boolean) =>
  stream((beyond, direction) => ({
    each: valued(open, { value: '$6', beyond, direction, by: open ? 'indexed by field_index_open' : '' }),
    set: `select k.ord::int as ord, i.record_id from unnest($6::bytea[]) with ordinality as k (value, ord)
      cross join lateral (${valued(open, { value: 'k.value', beyond, direction })}) as i`,
  }));

/** For each value its key: records that have it now, or that had it at any time. */
export const VALUE_STREAMS_NOW = valueStreams(true);
export const VALUE_STREAMS_EVER = valueStreams(false);
