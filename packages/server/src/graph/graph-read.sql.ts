// The records around a record, breadth first, at one sequence of one repository. A record with very many references costs
// no more than the graph has room for: of each level the records that were made first are taken. What a retracted record
// referred to is not followed: it says nothing any more.

import type { Reader } from '../engine/database.ts';
import type { LongRead } from '../engine/long-read.ts';
import { findSights, type SightRow, type Source } from '../read/record-sight.sql.ts';
import { GraphLevel } from './graph-level.sql.ts';
import { type GraphEdge, GraphReferences } from './graph-reference.sql.ts';

export interface GraphRequest {
  readonly recordId: number;
  /** How many references to follow from it. */
  readonly depth: number;
  readonly direction: 'in' | 'out' | 'both';
  /** How many records at most. */
  readonly limit: number;
  /** Also retracted records that others still refer to. */
  readonly includeRetracted: boolean;
  readonly longRead: LongRead;
}

export interface GraphNode {
  readonly sight: SightRow;
  readonly distance: number;
}

export interface FoundGraph {
  /** By distance, then in the order in which they were made. */
  readonly nodes: readonly GraphNode[];
  /** All references between them. */
  readonly edges: readonly GraphEdge[];
  /** Whether there are more records, or more references between these, than were taken. */
  readonly truncated: boolean;
}

const EDGES_MAX = 5_000;

export async function walkGraph(reader: Reader, source: Source, request: GraphRequest): Promise<FoundGraph> {
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

/** Those that are no nodes yet; one more than there is room for, to tell that there are more. */
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
