// References of a record in both directions, as a list and as a graph.

import { invalidField } from '@cairn/model/operation';
import { type DurableIdParts, formatCanonical, formatDurableId, REFERENCE_ROLES } from '@cairn/model/wref';
import type { CairnError } from '@cairn/protocol/errors';
import type { ReferenceItem } from '@cairn/protocol/read';
import { authorize, authorizeReads, followOf } from '../access/access.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList, type Position } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { LongRead } from '../engine/read-bounds.ts';
import type { Source } from '../read/hidden-target.sql.ts';
import { findRecordRows } from '../read/record.sql.ts';
import type { ItemRow } from '../read/record-item.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import { keptSequence, refuseAllVersions, sequenceOf } from '../read/thing.ts';
import { locateWrefs, missingRecord, recordNotFound } from '../read/wref.ts';
import { walkGraph } from './graph.sql.ts';
import {
  findReferringRepositories,
  type Incoming,
  type IncomingPlace,
  listIncoming,
  listOutgoing,
  type Outgoing,
} from './reference.sql.ts';

export const getRefs: Operation<'thing.refs'> = async (context, input) => {
  const { wref, direction, role, acrossRepos = false, atRepoSeq, cursor, limit, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const roles = rolesOf(role);
  if (acrossRepos && atRepoSeq !== undefined) throw refuseSequence(grant);
  const parameters = { repoId: grant.repoId, wref, direction, role, acrossRepos, atRepoSeq };
  const list = openList(context, 'thing.refs', parameters, { cursor, limit });
  const after = list.after && decodePlace(list.after);
  const subject = await findSubject(context, grant, { wref, atRepoSeq, kept: after?.atRepoSeq });
  const page = { grant, subject, direction, roles, acrossRepos, after, limit: limit + 1 };
  const references = new ReferenceList(context, page);
  const { items, ...rest } = list.toPage(await references.read(), (last) => encodePlace(references.placeAfter(last)));
  return { repoSeq: subject.atRepoSeq, items: items.map(({ item }) => item), ...rest };
};

function rolesOf(role: string | undefined): readonly string[] {
  if (role === undefined) return REFERENCE_ROLES;
  if (REFERENCE_ROLES.includes(role)) return [role];
  throw invalidField('role', `There is no role ${JSON.stringify(role)}. Use one of ${REFERENCE_ROLES.join(', ')}.`);
}

function refuseSequence({ repository: { orgName, name } }: Grant): CairnError {
  return invalidField(
    'atRepoSeq',
    `atRepoSeq counts the commits of ${orgName}/${name}. Leave it out to search other repositories.`,
  );
}

async function findSubject(
  context: Context,
  grant: Grant,
  request: { wref: string; atRepoSeq: number | undefined; kept?: number | undefined },
): Promise<Subject> {
  const { wref, kept } = request;
  refuseAllVersions(wref);
  const [located] = await locateWrefs(context, grant, { texts: [wref], atRepoSeq: request.atRepoSeq });
  if (located === undefined) throw recordNotFound(grant, { wref, atRepoSeq: request.atRepoSeq });
  const home = located.grant;
  const atRepoSeq = keptSequence(home, kept) ?? sequenceOf(home, request.atRepoSeq);
  const [row] = await findRecordRows(context.store.database, home, { wrefs: [located.wref], atRepoSeq });
  if (row === undefined) throw await missingRecord(context, grant, { wref, located, atRepoSeq: request.atRepoSeq });
  return { home, atRepoSeq, row, version: located.wref.version };
}

export const getGraph: Operation<'thing.graph'> = async (context, input) => {
  const { wref, depth, direction, limit, includeRetracted = false, atRepoSeq: asked, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const { home, atRepoSeq, row, version } = await findSubject(context, grant, { wref, atRepoSeq: asked });
  if (version !== undefined) throw refuseVersion(wref);
  if (row.active === 0 && !includeRetracted) {
    const hint =
      'It is retracted. Use atRepoSeq for an earlier graph, or includeRetracted for the records that still refer to it.';
    throw recordNotFound(grant, { wref, hint, atRepoSeq: asked });
  }
  const longRead = new LongRead('Use a smaller depth or limit, or one direction.');
  const request = { recordId: row.record_id, depth, direction, limit, includeRetracted, longRead };
  const found = await walkGraph(context.store.database, { grant: home, atRepoSeq }, request);
  const idOf = (recordId: number) => formatDurableId({ repoId: home.repoId, recordId });
  return {
    repoSeq: atRepoSeq,
    nodes: found.nodes.map(({ sight, distance }) => ({
      durableId: idOf(sight.record_id),
      wref: nameSeenFrom(grant, home, fullName(sight)),
      kind: sight.kind,
      ...(sight.shape_name !== null && { shapeName: sight.shape_name }),
      active: sight.active === 1,
      distance,
    })),
    edges: found.edges.map(({ from, to, role, path }) => ({ from: idOf(from), to: idOf(to), role, path })),
    truncated: found.truncated,
  };
};

function refuseVersion(wref: string): CairnError {
  return invalidField(
    'wref',
    `${wref} names a version, but a graph shows records at one sequence. Leave out the version.`,
  );
}

export interface Subject {
  readonly home: Grant;
  readonly atRepoSeq: number;
  readonly row: ItemRow;
  readonly version: number | undefined;
}

export interface ReferencePage {
  readonly grant: Grant;
  readonly subject: Subject;
  readonly direction: 'in' | 'out' | 'both';
  readonly roles: readonly string[];
  readonly acrossRepos: boolean;
  readonly after: ReferencePlace | undefined;
  readonly limit: number;
}

export interface PlacedItem {
  readonly item: ReferenceItem;
  readonly last: ReferencePlace['last'];
  readonly noted: NotedSources;
}

export class ReferenceList {
  readonly #context: Context;
  readonly #page: ReferencePage;
  readonly #longRead = new LongRead('Ask for one role or fewer references, or use a wider token.');

  constructor(context: Context, page: ReferencePage) {
    this.#context = context;
    this.#page = page;
  }

  async read(): Promise<PlacedItem[]> {
    const { direction, acrossRepos, after, limit } = this.#page;
    const noted = acrossRepos && direction !== 'out' ? await this.#noteSources() : NO_SOURCES;
    const beganIn = after !== undefined && 'incoming' in after.last;
    const out = direction === 'in' || beganIn ? [] : await this.#listOut(noted);
    if (direction === 'out' || out.length === limit) return out;
    return [...out, ...(await this.#listIn(noted, limit - out.length))];
  }

  placeAfter({ last, noted }: PlacedItem): ReferencePlace {
    const { home, atRepoSeq } = this.#page.subject;
    const passed = 'incoming' in last && last.incoming.repoId !== home.repoId ? last.incoming.repoId : 0;
    return { atRepoSeq, last, sources: formatSources(noted, passed), through: noted.through };
  }

  get #referred() {
    const { subject, roles } = this.#page;
    const target = { repoId: subject.home.repoId, recordId: subject.row.record_id };
    return { target, targetVersion: subject.version, roles, longRead: this.#longRead };
  }

  async #noteSources(): Promise<NotedSources> {
    const { after } = this.#page;
    if (after === undefined) return await noteSources(this.#context, this.#referred, 0);
    return { sources: await reopenSources(this.#context, after.sources), through: after.through };
  }

  async #listOut(noted: NotedSources): Promise<PlacedItem[]> {
    const { subject, roles, limit, after } = this.#page;
    const { home, atRepoSeq, row } = subject;
    const passed = after !== undefined && 'outgoing' in after.last ? after.last.outgoing : undefined;
    const page = { row, atRepoSeq, roles, limit, follow: followOf(this.#context), longRead: this.#longRead };
    const found = await listOutgoing(this.#context.store.database, home, { ...page, after: passed });
    return found.map((one) => ({ item: this.#outgoingItem(one), last: { outgoing: one.target.path }, noted }));
  }

  #outgoingItem({ role, target, wref }: Outgoing): ReferenceItem {
    const { grant, subject } = this.#page;
    const { path, version: pinnedVersion } = target;
    const isLocal = target.repoId === subject.home.repoId;
    const seen = isLocal ? nameSeenFrom(grant, subject.home, wref) : wref;
    return { direction: 'out', role, path, wref: seen, durableId: formatDurableId(target), pinnedVersion };
  }

  async #listIn(first: NotedSources, limit: number): Promise<PlacedItem[]> {
    const { home, atRepoSeq } = this.#page.subject;
    let after = this.#incomingPlace();
    const own = after === undefined || after.repoId === home.repoId ? [{ grant: home, atRepoSeq }] : [];
    const found: PlacedItem[] = [];
    for (let [noted, sources] = [first, [...own, ...first.sources]]; ; sources = [...noted.sources]) {
      const page = { ...this.#referred, sources, after, limit: limit - found.length };
      const some = await listIncoming(this.#context.store.database, page);
      for (const one of some) found.push({ ...this.#incoming(one), noted });
      if (found.length === limit || noted.through === undefined) return found;
      noted = await noteSources(this.#context, this.#referred, noted.through);
      after = undefined;
    }
  }

  #incomingPlace(): IncomingPlace | undefined {
    const { after } = this.#page;
    return after !== undefined && 'incoming' in after.last ? after.last.incoming : undefined;
  }

  #incoming({ source: { grant }, sight, repoId, role, recordId, path, targetVersion }: Incoming) {
    const wref = nameSeenFrom(this.#page.grant, grant, `${fullName(sight)}@v${sight.version}`);
    const durableId = formatDurableId({ repoId, recordId });
    const item: ReferenceItem = { direction: 'in', role, path, wref, durableId, pinnedVersion: targetVersion };
    return { item, last: { incoming: { repoId, role, recordId, path } } };
  }
}

export function nameSeenFrom(asked: Grant, { repoId, repository }: Grant, name: string): string {
  return repoId === asked.repoId
    ? name
    : formatCanonical({ orgName: repository.orgName, repoName: repository.name, name });
}

export interface ReferencePlace {
  readonly atRepoSeq: number;
  readonly sources: string;
  readonly through: number | undefined;
  readonly last: { readonly outgoing: string } | { readonly incoming: IncomingPlace };
}

const NO_THROUGH = 0;

export function encodePlace({ atRepoSeq, sources, through = NO_THROUGH, last }: ReferencePlace): Position {
  const common = [atRepoSeq, sources, through];
  if ('outgoing' in last) return [...common, last.outgoing];
  const { repoId, role, recordId, path } = last.incoming;
  return [...common, repoId, role, recordId, path];
}

type Encoded =
  | readonly [number, string, number, path: string]
  | readonly [number, string, number, repoId: number, role: string, recordId: number, path: string];

export function decodePlace(position: Position): ReferencePlace {
  const [atRepoSeq, sources, through, ...last] = position as Encoded;
  return { atRepoSeq, sources, through: through === NO_THROUGH ? undefined : through, last: lastOf(last) };
}

function lastOf(last: readonly (string | number)[]): ReferencePlace['last'] {
  const [first = '', role = '', recordId = 0, path = ''] = last;
  if (typeof first === 'string') return { outgoing: first };
  return { incoming: { repoId: first, role: String(role), recordId: Number(recordId), path: String(path) } };
}

/** Limited by the size of a cursor. */
const SOURCES_MAX = 100;
const REPOSITORIES_A_STEP = 500;

/** The first page fixes the sequences of other repositories, so that later commits stay out of the list. */
export interface NotedSources {
  readonly sources: readonly Source[];
  /** There may be more repositories after this id; `undefined` when the list is complete. */
  readonly through: number | undefined;
}

export const NO_SOURCES: NotedSources = { sources: [], through: undefined };

export interface ReferredRecord {
  readonly target: DurableIdParts;
  readonly targetVersion: number | undefined;
  readonly roles: readonly string[];
  readonly longRead: LongRead;
  readonly except?: number;
}

export async function noteSources(context: Context, record: ReferredRecord, after: number): Promise<NotedSources> {
  const { target, roles, longRead, except = target.repoId } = record;
  const sources: Source[] = [];
  for (let next: number | undefined = after; next !== undefined; ) {
    const step = { target, roles, after: next, limit: REPOSITORIES_A_STEP };
    const { repoIds, through } = await findReferringRepositories(context.store.database, step);
    for (const grant of await readableOf(context, except, repoIds)) {
      const source = { grant, atRepoSeq: grant.repository.repoSeq };
      if (!(await mayBeTold(context, record, source))) continue;
      sources.push(source);
      if (sources.length === SOURCES_MAX) return { sources, through: grant.repoId };
    }
    next = through;
    await longRead.turn();
  }
  return { sources, through: undefined };
}

async function readableOf(context: Context, except: number, repoIds: readonly number[]): Promise<Grant[]> {
  const others = repoIds.filter((other) => other !== except);
  const grants = others.length === 0 ? [] : await authorizeReads(context, { addresses: [], repoIds: others });
  return grants.sort((a, b) => a.repoId - b.repoId);
}

/** Cursors are readable, so they may only name repositories of which the caller sees a reference. */
async function mayBeTold({ store }: Context, record: ReferredRecord, source: Source): Promise<boolean> {
  if (source.grant.narrowing === undefined) return true;
  const first = { ...record, sources: [source], after: undefined, limit: 1 };
  return (await listIncoming(store.database, first)).length > 0;
}

export function formatSources({ sources }: NotedSources, from: number): string {
  return sources
    .filter(({ grant }) => grant.repoId >= from)
    .map(({ grant, atRepoSeq }) => `${grant.repoId}.${atRepoSeq}`)
    .join();
}

/** Checks access again: repositories that the caller can no longer read are left out. */
export async function reopenSources(context: Context, text: string): Promise<Source[]> {
  const noted = new Map(
    text === '' ? [] : text.split(',').map((pair) => pair.split('.').map(Number) as [number, number]),
  );
  const grants = noted.size === 0 ? [] : await authorizeReads(context, { addresses: [], repoIds: [...noted.keys()] });
  return grants
    .sort((a, b) => a.repoId - b.repoId)
    .map((grant) => ({ grant, atRepoSeq: noted.get(grant.repoId) ?? 0 }));
}
