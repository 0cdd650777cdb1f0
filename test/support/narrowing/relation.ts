// Filters references, graphs, changes and differences for a token.

import { findDifferences } from '@cairn/model/json-pointer';
import type { Graph, RecordChange, RecordDiff, ReferenceItem } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { dataOf } from './ask.ts';
import type { AnswerFilter } from './filter.ts';
import type { OwnerView } from './owner-view.ts';
import type { GraphQuery } from './query.ts';
import { addressOf, canonical, headOf, type WorldRecord } from './record.ts';
import { calledAs, type OracleToken } from './visibility.ts';

interface Subject {
  readonly record: WorldRecord;
  readonly seq: number;
}

const REFERENCES_MAX = 500;

export class RelationFilter {
  readonly #owner: OwnerView;
  readonly #token: OracleToken;
  readonly #filter: AnswerFilter;

  constructor(owner: OwnerView, { token, filter }: { token: OracleToken; filter: AnswerFilter }) {
    this.#owner = owner;
    this.#token = token;
    this.#filter = filter;
  }

  reference(item: ReferenceItem, { record, seq }: Subject): ReferenceItem | undefined {
    const other = this.#filter.recordOf(item.durableId);
    if (item.direction === 'out') {
      const pointer = { from: record.repo, target: other, text: item.wref, seq };
      return this.#filter.showsPointer(pointer) ? item : undefined;
    }
    const at = other.repo === record.repo ? seq : headOf(other.repo);
    return this.#token.reads(other.repo) && this.#token.showsAt(other, at) ? item : undefined;
  }

  change(item: RecordChange, seq: number): RecordChange | undefined {
    const record = this.#filter.recordOf(item.durableId);
    if (!this.#token.showsAt(record, seq)) return undefined;
    const { nameBefore, versionBefore, ...rest } = item;
    // A record whose former name was hidden counts as added.
    const wasHidden = nameBefore !== undefined && !this.#token.shows(record, calledAs(record, nameBefore));
    return wasHidden ? { ...rest, change: 'added' } : item;
  }

  diff({ before, after, ...sequences }: RecordDiff): RecordDiff {
    const { sinceRepoSeq, repoSeq } = sequences;
    const isThere = before !== null && this.#filter.shows(before, sinceRepoSeq);
    const left = isThere ? this.#filter.item(before, sinceRepoSeq) : null;
    const right = this.#filter.item(after, repoSeq);
    const kept = new Set((left?.refs ?? []).map(String));
    const same = new Set((right.refs ?? []).filter((pair) => kept.has(String(pair))).map(([path]) => path));
    const differences = findDifferences(left?.data ?? {}, right.data).filter(({ path }) => !same.has(path));
    return { ...sequences, before: left, after: right, differences };
  }

  /** Walks the records that the token sees, and takes each record's references from the owner's read. */
  async graph({ repo, depth, direction, limit }: GraphQuery, { record: start, seq }: Subject): Promise<Graph> {
    const nodes = new Map<WorldRecord, number>([[start, 0]]);
    let [level, truncated] = [[start], false];
    for (let distance = 1; distance <= depth && !truncated; distance++) {
      const around = await Promise.all(level.map((node) => this.#neighbours(node, { direction, seq })));
      const fresh = new Set(around.flat().filter((one) => !nodes.has(one)));
      const all = [...fresh].sort((a, b) => (a.durableId < b.durableId ? -1 : 1));
      level = all.slice(0, limit - nodes.size);
      truncated = level.length < all.length;
      for (const one of level) nodes.set(one, distance);
    }
    const answer: Graph = { repoSeq: seq, nodes: [], edges: [], truncated };
    for (const [record, distance] of nodes) {
      const { durableId, name, kind, shapeName, active } = await this.#item(record, seq);
      const wref = record.repo === repo ? name : canonical(record.repo, name);
      answer.nodes.push({ durableId, wref, kind, ...(shapeName !== undefined && { shapeName }), active, distance });
      answer.edges.push(...(await this.#edges(record, { nodes, seq })));
    }
    return answer;
  }

  async #neighbours(
    node: WorldRecord,
    { direction, seq }: { direction: GraphQuery['direction']; seq: number },
  ): Promise<WorldRecord[]> {
    const found: WorldRecord[] = [];
    for (const item of await this.#references(node, seq)) {
      const other = this.#filter.recordOf(item.durableId);
      const isAsked = direction === 'both' || item.direction === direction;
      if (isAsked && (await this.#isNode(other, { record: node, seq }))) found.push(other);
    }
    return found;
  }

  async #references({ repo, durableId }: WorldRecord, seq: number): Promise<ReferenceItem[]> {
    const asked = { ...addressOf(repo), wref: durableId, atRepoSeq: seq, limit: REFERENCES_MAX };
    return dataOf('thing.refs', await this.#owner.ask('thing.refs', asked)).items;
  }

  async #isNode(other: WorldRecord, { record, seq }: Subject): Promise<boolean> {
    if (other.repo !== record.repo || !this.#token.showsAt(other, seq)) return false;
    return (await this.#item(other, seq)).active;
  }

  async #item({ repo, durableId }: WorldRecord, seq: number): Promise<RecordItem> {
    const asked = { ...addressOf(repo), wref: durableId, atRepoSeq: seq, includeRetracted: true };
    return dataOf('thing.get', await this.#owner.ask('thing.get', asked));
  }

  async #edges(
    record: WorldRecord,
    { nodes, seq }: { nodes: ReadonlyMap<WorldRecord, number>; seq: number },
  ): Promise<Graph['edges']> {
    const refs = (await this.#references(record, seq)).filter(({ direction }) => direction === 'out');
    const { refs: stored = [] } = await this.#item(record, seq);
    // The list is sorted by path, and the graph keeps the stored order.
    const order = new Map(stored.map(([path], index) => [path, index]));
    return refs
      .filter(({ durableId }) => nodes.has(this.#filter.recordOf(durableId)))
      .sort((a, b) => (order.get(a.path) ?? -1) - (order.get(b.path) ?? -1))
      .map(({ durableId, role, path }) => ({ from: record.durableId, to: durableId, role, path }));
  }
}
