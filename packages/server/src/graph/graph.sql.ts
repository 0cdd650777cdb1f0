// The records around a record, breadth first. Each level takes the oldest that fit, so many references cost no more
// than the limit.

import { ABOUT, parseIdentity, parseReferences, REFERENCE_ROLES, type Reference } from '@cairn/model/wref';
import { roleOf } from '../commit/commit.write.ts';
import type { Reader } from '../engine/database.ts';
import { findByKey } from '../engine/lookup.ts';
import { type LongRead, STEP_ROWS } from '../engine/read-bounds.ts';
import { findSights, type SightRow, type Source } from '../read/hidden-target.sql.ts';
import { BEGINNING, isTrueAt, readStretches, type Stretch } from './reference.sql.ts';

interface GraphRequest {
  readonly recordId: number;
  readonly depth: number;
  readonly direction: 'in' | 'out' | 'both';
  readonly limit: number;
  readonly includeRetracted: boolean;
  readonly longRead: LongRead;
}

interface GraphNode {
  readonly sight: SightRow;
  readonly distance: number;
}

const EDGES_MAX = 5_000;

export async function walkGraph(
  reader: Reader,
  source: Source,
  request: GraphRequest,
): Promise<{ nodes: readonly GraphNode[]; edges: readonly GraphEdge[]; truncated: boolean }> {
  const nodes = new Map<number, GraphNode>();
  const references = new GraphReferences(reader, source, request.longRead);
  let truncated = false;
  let level = await findStart(reader, source, request);
  for (let distance = 0; level.length > 0; distance++) {
    const taken = level.slice(0, request.limit - nodes.size);
    truncated = taken.length < level.length;
    for (const sight of taken) nodes.set(sight.record_id, { sight, distance });
    await references.load(taken.filter(({ active }) => active === 1));
    const ended = truncated || distance === request.depth;
    level = ended ? [] : await findNeighbours(reader, source, { ...request, taken, nodes, references });
  }
  const edges = [...nodes.keys()].flatMap((from) => references.of(from).filter(({ to }) => nodes.has(to)));
  const isCut = truncated || references.isCut || edges.length > EDGES_MAX;
  return { nodes: [...nodes.values()], edges: edges.slice(0, EDGES_MAX), truncated: isCut };
}

async function findStart(reader: Reader, source: Source, request: GraphRequest): Promise<SightRow[]> {
  const { recordId, includeRetracted } = request;
  const [start] = await findSights(reader, [{ source, recordId }]);
  return start !== undefined && (includeRetracted || start.active === 1) ? [start] : [];
}

interface Expansion extends GraphRequest {
  readonly taken: readonly SightRow[];
  readonly nodes: ReadonlyMap<number, GraphNode>;
  readonly references: GraphReferences;
}

async function findNeighbours(reader: Reader, source: Source, expansion: Expansion): Promise<SightRow[]> {
  const { taken, nodes, references, direction, limit, includeRetracted, longRead } = expansion;
  const isNode = (recordId: number) => nodes.has(recordId);
  const level = new GraphLevel(reader, { source, isNode, limit: limit - nodes.size + 1, longRead });
  const ids = taken.map(({ record_id }) => record_id);
  if (direction !== 'in') {
    const referred = ids.flatMap((id) => references.of(id).map(({ to }) => to));
    await level.offer(referred, { includeRetracted });
  }
  if (direction !== 'out') await level.offerReferring(ids);
  return level.found();
}

const STRETCHES_A_STEP = 500;
const RECORDS_A_STEP = 500;

interface LevelRequest {
  readonly source: Source;
  readonly isNode: (recordId: number) => boolean;
  readonly limit: number;
  readonly longRead: LongRead;
}

const byRecord = (a: SightRow, b: SightRow) => a.record_id - b.record_id;

class GraphLevel {
  readonly #reader: Reader;
  readonly #request: LevelRequest;
  readonly #looked = new Set<number>();
  #found: SightRow[] = [];

  constructor(reader: Reader, request: LevelRequest) {
    this.#reader = reader;
    this.#request = request;
  }

  found(): SightRow[] {
    return this.#found;
  }

  #hasRoomFor(recordId: number): boolean {
    const last = this.#found[this.#request.limit - 1];
    return last === undefined || recordId < last.record_id;
  }

  async offer(recordIds: readonly number[], { includeRetracted = false } = {}): Promise<void> {
    const { source, isNode, limit, longRead } = this.#request;
    const fresh = new Set(recordIds.filter((id) => !isNode(id) && !this.#looked.has(id)));
    const ids = [...fresh].sort((a, b) => a - b);
    for (let at = 0; at < ids.length; at += RECORDS_A_STEP) {
      const step = ids.slice(at, at + RECORDS_A_STEP).filter((id) => this.#hasRoomFor(id));
      if (step.length === 0) return;
      for (const id of step) this.#looked.add(id);
      const sights = await findSights(
        this.#reader,
        step.map((recordId) => ({ source, recordId })),
      );
      const shown = sights
        .filter((sight) => sight !== undefined)
        .filter(({ active }) => includeRetracted || active === 1);
      this.#found = [...this.#found, ...shown].sort(byRecord).slice(0, limit);
      await longRead.turn();
    }
  }

  async offerReferring(recordIds: readonly number[]): Promise<void> {
    const { source, longRead } = this.#request;
    const { repoId } = source.grant;
    let open = recordIds.flatMap((recordId) =>
      REFERENCE_ROLES.map((role): Stretch => ({ target: { repoId, recordId }, role, repoId, after: BEGINNING })),
    );
    while (open.length > 0) {
      const step = open.slice(0, STRETCHES_A_STEP);
      const parts = await readStretches(this.#reader, step, Math.floor(STEP_ROWS / step.length));
      const rows = parts.flatMap((part) => part.rows).filter((row) => isTrueAt(row, source.atRepoSeq));
      await this.offer(rows.map(({ record_id }) => record_id));
      const rest = parts.flatMap((part) => part.rest ?? []);
      open = [...open.slice(step.length), ...rest].filter(({ after }) => this.#hasRoomFor(after.recordId));
      await longRead.turn();
    }
  }
}

interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly role: string;
  readonly path: string;
}

const REFERENCES_MAX = 100_000;
const BYTES_A_STEP = 4 * 1024 * 1024;

const FIND_REFERENCES = findByKey('version', 'refs', ['record_id', 'version']);

class GraphReferences {
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

  #keep(from: number, role: string, { repoId, recordId, path }: Reference): void {
    this.#count += 1;
    if (repoId !== this.#source.grant.repoId) return;
    const edges = this.#edges.get(from) ?? [];
    edges.push({ from, to: recordId, role, path });
    this.#edges.set(from, edges);
  }
}

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
