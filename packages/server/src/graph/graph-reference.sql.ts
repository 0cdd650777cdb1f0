// What the records of a graph refer to within their repository, read once for each of them.

import { roleOf } from '../commit/reference/reference-index.write.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import type { LongRead } from '../engine/long-read.ts';
import { parseIdentity, parseReferences, type Reference } from '../model/reference.ts';
import { ABOUT } from '../model/reference-role.ts';
import type { SightRow, Source } from '../read/record-sight.sql.ts';

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly role: string;
  readonly path: string;
}

/** In all records of a graph together. */
const REFERENCES_MAX = 100_000;
const BYTES_A_STEP = 4 * 1024 * 1024;

const FIND_REFERENCES: BulkStatement = {
  each: 'select refs from version where repo_id = $1 and record_id = $2 and version = $3',
  set: `select k.ord::int as ord, v.refs
    from unnest($2::bigint[], $3::bigint[]) with ordinality as k (record_id, version, ord)
    cross join lateral (select refs from version
      where repo_id = $1 and record_id = k.record_id and version = k.version limit 1) as v`,
};

export class GraphReferences {
  /** Whether there were too many to look at all of them. */
  isCut = false;
  readonly #reader: Reader;
  readonly #source: Source;
  readonly #longRead: LongRead;
  readonly #edges = new Map<number, GraphEdge[]>();
  #count = 0;

  constructor(reader: Reader, source: Source, longRead: LongRead) {
    this.#reader = reader;
    this.#source = source;
    this.#longRead = longRead;
  }

  of(recordId: number): readonly GraphEdge[] {
    return this.#edges.get(recordId) ?? [];
  }

  async load(sights: readonly SightRow[]): Promise<void> {
    for (const { record_id, about } of sights) {
      if (about !== null) this.#keep(record_id, ABOUT, { path: '', ...parseIdentity(about) });
    }
    for (const step of stepsOf(sights)) {
      if (this.#count > REFERENCES_MAX) {
        this.isCut = true;
        return;
      }
      await this.#loadStep(step);
      await this.#longRead.turn();
    }
  }

  async #loadStep(step: readonly SightRow[]): Promise<void> {
    const rows = await this.#reader.bulk<{ refs: string }>(FIND_REFERENCES, {
      common: [this.#source.grant.repoId],
      rows: step.map(({ record_id, version }) => [record_id, version]),
    });
    for (const { ord, refs } of rows) {
      const { record_id = 0, kind = '' } = step[ord] ?? {};
      for (const reference of parseReferences(refs)) this.#keep(record_id, roleOf(kind, reference.path), reference);
    }
  }

  /** What leads elsewhere is not followed. */
  #keep(from: number, role: string, { repoId, recordId, path }: Reference): void {
    this.#count += 1;
    if (repoId !== this.#source.grant.repoId) return;
    const edges = this.#edges.get(from) ?? [];
    edges.push({ from, to: recordId, role, path });
    this.#edges.set(from, edges);
  }
}

/** Few records refer to so much that not all of a level fit into one step. */
function stepsOf(sights: readonly SightRow[]): SightRow[][] {
  const steps: SightRow[][] = [];
  let bytes = 0;
  for (const sight of sights.filter(({ refs_bytes }) => refs_bytes > 0)) {
    const last = steps.at(-1);
    if (last !== undefined && bytes + sight.refs_bytes <= BYTES_A_STEP) {
      last.push(sight);
      bytes += sight.refs_bytes;
    } else {
      steps.push([sight]);
      bytes = sight.refs_bytes;
    }
  }
  return steps;
}
