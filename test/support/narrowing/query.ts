// Random questions about a world, by every current and former address of a record. Each question that names a record
// has a twin of the same form that names nothing. A hidden record must read like a missing one.
import { formatDurableId, parseDurableId } from '@cairn/model/wref';
import type { Random } from '../random.ts';
import { addressOf, canonical, headOf, type WorldRecord, type WorldRepository } from './record.ts';
import type { World } from './world.ts';

interface Address {
  readonly orgName: string;
  readonly repoName: string;
}

export interface NamedWref {
  readonly text: string;
  readonly twin: string;
}

export interface RecordQuery {
  readonly repo: WorldRepository;
  readonly wref: NamedWref;
  readonly atRepoSeq?: number;
}

export interface GetQuery extends RecordQuery {
  readonly do: 'get';
  readonly name: 'thing.get' | 'shape.get';
  readonly includeRetracted?: boolean;
}

export interface HistoryQuery extends RecordQuery {
  readonly do: 'history';
  readonly name: 'thing.history' | 'shape.history';
  readonly limit: number;
}

export interface NamesQuery extends RecordQuery {
  readonly do: 'names';
  readonly name: 'thing.names';
  readonly limit: number;
}

export interface RefsQuery extends RecordQuery {
  readonly do: 'refs';
  readonly direction: 'in' | 'out' | 'both';
  readonly acrossRepos?: boolean;
  readonly limit: number;
}

export interface GraphQuery extends RecordQuery {
  readonly do: 'graph';
  readonly direction: 'in' | 'out' | 'both';
  readonly depth: number;
  readonly limit: number;
}

export interface DiffQuery extends RecordQuery {
  readonly do: 'diff';
  readonly sinceRepoSeq: number;
}

export interface ChangesQuery {
  readonly do: 'changes';
  readonly repo: WorldRepository;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq?: number;
  readonly limit: number;
}

export interface ManyQuery {
  readonly do: 'many';
  readonly repo: WorldRepository;
  readonly wrefs: readonly NamedWref[];
  readonly atRepoSeq?: number;
  readonly includeRetracted?: boolean;
}

export interface ShapesQuery {
  readonly do: 'shapes';
  readonly repo: WorldRepository;
  readonly atRepoSeq?: number;
  readonly includeRetracted?: boolean;
  readonly limit: number;
}

export interface CommitQuery {
  readonly do: 'commit';
  readonly repo: WorldRepository;
  readonly repoSeq: number;
}

export interface LogQuery {
  readonly do: 'log';
  readonly repo: WorldRepository;
  readonly limit: number;
}

export interface ReferQuery {
  readonly do: 'refer';
  readonly repo: WorldRepository;
  readonly target: WorldRecord;
  readonly wref: NamedWref;
  readonly place: 'room' | 'links' | 'deep' | 'about' | 'committer' | 'member';
}

export interface PlacesQuery {
  readonly do: 'places';
  readonly name: 'repo.list' | 'org.list';
  readonly limit: number;
}

export interface RepoQuery {
  readonly do: 'repo';
  readonly repo: WorldRepository;
}

export type Query =
  | GetQuery
  | HistoryQuery
  | NamesQuery
  | RefsQuery
  | GraphQuery
  | DiffQuery
  | ChangesQuery
  | ManyQuery
  | ShapesQuery
  | CommitQuery
  | LogQuery
  | ReferQuery
  | PlacesQuery
  | RepoQuery;

const MISSING = 'x999999x';
const MISSING_ID = 2 ** 40;

export class QueryWriter {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random;
  }

  pool(count: number): Query[] {
    const lists = this.#world.repositories.flatMap((repo): Query[] => [
      { do: 'repo', repo },
      { do: 'log', repo, limit: 2 },
      { do: 'log', repo, limit: 50 },
      { do: 'shapes', repo, limit: 2 },
    ]);
    const places: Query[] = [
      { do: 'places', name: 'repo.list', limit: 3 },
      { do: 'places', name: 'org.list', limit: 2 },
    ];
    const commits = this.#world.repositories.flatMap((repo) =>
      repo.commits.map(({ seq }): Query => ({ do: 'commit', repo, repoSeq: seq })),
    );
    return [...lists, ...places, ...commits, ...Array.from({ length: count }, () => this.#query())];
  }

  #query(): Query {
    const random = this.#random;
    const repo = random.pick(this.#world.repositories);
    const dice = random.below(30);
    if (dice < 8) return this.#get(repo);
    if (dice < 10) return { do: 'many', repo, ...this.#when(repo), wrefs: this.#wrefs(repo), ...this.#retracted() };
    if (dice < 14) {
      const shape = random.once(4);
      const limit = random.pick([1, 2, 50]);
      const name = shape ? 'shape.history' : 'thing.history';
      return { do: 'history', name, repo, ...this.#when(repo), wref: this.#wref(repo, { shape }), limit };
    }
    if (dice < 16)
      return { do: 'shapes', repo, ...this.#when(repo), ...this.#retracted(), limit: random.pick([1, 3, 50]) };
    if (dice < 20) return this.#refer(repo);
    if (dice >= 28) {
      const wref = this.#wref(repo, { shape: random.once(4) });
      return { do: 'names', name: 'thing.names', repo, ...this.#when(repo), wref, limit: random.pick([1, 2, 50]) };
    }
    return this.#relation(repo, dice);
  }

  #relation(repo: WorldRepository, dice: number): Query {
    const random = this.#random;
    const wref = this.#wref(repo, { shape: random.once(6) });
    const direction = random.pick(['in', 'out', 'both', 'both'] as const);
    const sinceRepoSeq = random.below(headOf(repo) + 1);
    if (dice < 23) {
      const when = random.once(2) ? { acrossRepos: true } : this.#when(repo);
      return { do: 'refs', repo, wref, direction, ...when, limit: random.pick([1, 3, 50]) };
    }
    if (dice < 25) {
      const size = { depth: 1 + random.below(5), limit: random.pick([2, 5, 100]) };
      return { do: 'graph', repo, wref, direction, ...this.#when(repo), ...size };
    }
    if (dice < 26) return { do: 'diff', repo, wref, ...this.#when(repo), sinceRepoSeq };
    return { do: 'changes', repo, ...this.#when(repo), sinceRepoSeq, limit: random.pick([1, 4, 50]) };
  }

  #get(repo: WorldRepository): GetQuery {
    const shape = this.#random.once(4);
    const name = shape ? 'shape.get' : 'thing.get';
    return { do: 'get', name, repo, ...this.#when(repo), wref: this.#wref(repo, { shape }), ...this.#retracted() };
  }

  #when(repo: WorldRepository): { atRepoSeq?: number } {
    return this.#random.once(2) ? {} : { atRepoSeq: this.#random.below(headOf(repo) + 1) };
  }

  #retracted(): { includeRetracted?: boolean } {
    return this.#random.once(2) ? {} : { includeRetracted: true };
  }

  #wrefs(repo: WorldRepository): NamedWref[] {
    return Array.from({ length: 1 + this.#random.below(30) }, () => this.#wref(repo, { shape: this.#random.once(6) }));
  }

  #wref(repo: WorldRepository, { shape }: { shape: boolean }): NamedWref {
    const random = this.#random;
    // A text without a slash asks for a shape.
    const from = !shape && random.once(4) ? random.pick(this.#world.repositories) : repo;
    const records = from.records.filter(({ kind }) => (kind === 'shape') === shape);
    if (records.length === 0) return { text: `None/${MISSING}`, twin: `None/${MISSING}` };
    const record = random.pick(records);
    const { text, twin } = this.#base(record, from === repo && !random.once(4) ? undefined : from, shape);
    const pin = random.pick(['', '', '@HEAD', `@v${1 + random.below(record.versions)}`]);
    return { text: `${text}${pin}`, twin: `${twin}${pin}` };
  }

  #base(record: WorldRecord, from: WorldRepository | undefined, shape: boolean): NamedWref {
    if (this.#random.once(3)) return byIdentity(record);
    const name = this.#random.once(2) ? record.name : this.#random.pick(record.allNames());
    const twin = twinOf(name);
    if (from === undefined || shape) return { text: name, twin };
    return { text: canonical(from, name), twin: canonical(from, twin) };
  }

  #refer(repo: WorldRepository): Query {
    const random = this.#random;
    const records = this.#world.records.filter((one) => one.repo !== repo);
    if (records.length === 0) return this.#get(repo);
    const target = random.pick(records);
    const base = random.once(2)
      ? byIdentity(target)
      : { text: canonical(target.repo, target.name), twin: canonical(target.repo, twinOf(target.name)) };
    const pin = random.pick(['', '', '@v1', `@v${target.versions}`]);
    const place = random.pick(['room', 'links', 'deep', 'about', 'committer', 'member'] as const);
    return { do: 'refer', repo, target, wref: { text: `${base.text}${pin}`, twin: `${base.twin}${pin}` }, place };
  }
}

function byIdentity({ durableId }: WorldRecord): NamedWref {
  const { repoId = 0 } = parseDurableId(durableId) ?? {};
  return { text: durableId, twin: formatDurableId({ repoId, recordId: MISSING_ID }) };
}

function twinOf(name: string): string {
  return name.includes('/') ? `${name.slice(0, name.indexOf('/'))}/${MISSING}` : `None${MISSING}`;
}

export function inputOf(query: GetQuery | HistoryQuery | NamesQuery, text: string): object {
  const { repo, atRepoSeq, name } = query;
  return {
    ...addressOf(repo),
    ...(name.startsWith('shape') ? { name: text } : { wref: text }),
    ...(atRepoSeq !== undefined && { atRepoSeq }),
    ...('includeRetracted' in query && { includeRetracted: query.includeRetracted }),
  };
}

const NAMES = { refs: 'thing.refs', graph: 'thing.graph', diff: 'thing.diff' } as const;

export const relationName = (query: RefsQuery | GraphQuery | DiffQuery) => NAMES[query.do];

export function relationInput(query: RefsQuery | GraphQuery | DiffQuery, text: string): object {
  const { do: _, repo, ...rest } = query;
  return { ...addressOf(repo), ...rest, wref: text };
}

export function commitOf({ repo, place }: ReferQuery, text: string): (Address & { operations: object[] }) | undefined {
  const shape = repo.records.find(({ kind, active, local }) => kind === 'shape' && active && /x$/.test(local));
  if (shape === undefined) return undefined;
  const data = {
    room: { room: text },
    links: { links: [text] },
    deep: { at: { deep: text } },
    about: {},
    committer: {},
    member: {},
  }[place];
  const add = { operation: 'add', name: `${shape.local}/${MISSING}`, data };
  const operation =
    place === 'member'
      ? { operation: 'add', type: 'list', name: `List/${MISSING}`, members: [text] }
      : { ...add, ...(place === 'about' && { about: text }) };
  return { ...addressOf(repo), operations: [operation], ...(place === 'committer' && { committer: text }) };
}
