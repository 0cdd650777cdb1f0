// One page of the references of a record: what it refers to, what refers to it in its own repository, and what does so
// in others, in this order.
import type { ReferenceItem } from '@cairn/protocol/read';
import { followOf } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { LongRead } from '../engine/long-read.ts';
import { formatDurableId } from '../model/durable-id.ts';
import { formatCanonical } from '../model/wref.ts';
import type { ItemRow } from '../read/record-item.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import { type Incoming, type IncomingPlace, listIncoming } from './reference-in.sql.ts';
import { listOutgoing, type Outgoing } from './reference-out.sql.ts';
import type { ReferencePlace } from './reference-place.ts';
import { formatSources, NO_SOURCES, type NotedSources, noteSources, reopenSources } from './reference-source.ts';

/** The record whose references are asked for, in whichever repository it lies. */
export interface Subject {
  readonly home: Grant;
  readonly atRepoSeq: number;
  readonly row: ItemRow;
  /** Where the wref names one. */
  readonly version: number | undefined;
}

export interface ReferencePage {
  /** Of the repository that was asked. */
  readonly grant: Grant;
  readonly subject: Subject;
  readonly direction: 'in' | 'out' | 'both';
  readonly roles: readonly string[];
  readonly acrossRepos: boolean;
  readonly after: ReferencePlace | undefined;
  readonly limit: number;
}

/** An item of a list, with what a cursor after it needs. */
export interface PlacedItem {
  readonly item: ReferenceItem;
  readonly last: ReferencePlace['last'];
  readonly noted: NotedSources;
}

export class ReferenceList {
  readonly #context: Context;
  readonly #page: ReferencePage;
  readonly #longRead = new LongRead('Ask for references of one role, with a wider token, or fewer at once.');

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
    // The record's own repository comes before all others, whatever its id.
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

  /** Other repositories come as many at a time as were noted together. */
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

/** As it is seen from the repository that was asked: what lies elsewhere has its whole address. */
export function nameSeenFrom(asked: Grant, { repoId, repository }: Grant, name: string): string {
  return repoId === asked.repoId
    ? name
    : formatCanonical({ orgName: repository.orgName, repoName: repository.name, name });
}
