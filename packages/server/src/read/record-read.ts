// Lists and counts records once the caller may see the repository. A list may continue in other repositories.

import { isJsonObject, ownValue } from '@cairn/model/json';
import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';
import { CairnError } from '@cairn/protocol/errors';
import type { RecordCount } from '@cairn/protocol/read';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { giveTurn, LongRead } from '../engine/read-bounds.ts';
import { formatSources, NO_SOURCES, type NotedSources, noteSources, reopenSources } from '../graph/reference.ts';
import { findSearchedThrough } from '../search/search.sql.ts';
import { type SearchWord, snippetOf } from '../search/search-text.rule.ts';
import { countRecords, listRecords } from './list/list.sql.ts';
import type { AboutCondition, ListOrder, PointedRecord, Position, RecordFilter } from './list/list-request.sql.ts';
import { readListed } from './record.sql.ts';
import { aboutCondition, type FilterInput, findTarget, readFilter } from './record-filter.ts';
import type { RenderedRecord } from './record-item.sql.ts';
import { keptSequence, sequenceOf } from './thing.ts';
import { seenFrom } from './wref.ts';

export interface RecordListing {
  readonly repoSeq: number;
  readonly records: readonly RenderedRecord[];
  readonly nextCursor?: string;
  readonly lookedElsewhere: boolean;
  readonly searchedThrough?: number;
}

interface PageRequest {
  readonly list: ListIdentity;
  readonly order: ListOrder;
  readonly fields: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export class RecordRead {
  readonly #context: Context;
  readonly #grant: Grant;
  readonly #filter: FilterInput;

  constructor(context: Context, grant: Grant, filter: FilterInput) {
    this.#context = context;
    this.#grant = grant;
    this.#filter = filter;
  }

  async count(cursor: string | undefined, list: ListIdentity): Promise<RecordCount> {
    // A count ignores the cursor, but a cursor of another list is a mistake.
    if (cursor !== undefined) decodeCursor(this.#context.keys.cursor, { ...list, cursor });
    const { atRepoSeq, target, parts } = await this.#open(undefined);
    let count = 0;
    for await (const part of parts) {
      const filter = await this.#filterIn(part, target);
      if (filter !== undefined) count += await countRecords(this.#context.store.database, part.grant, filter);
    }
    return { repoSeq: atRepoSeq, count };
  }

  async page(request: PageRequest): Promise<RecordListing> {
    const { keys, store } = this.#context;
    const { list, cursor } = request;
    const kept = cursor === undefined ? undefined : decodeCursor<KeptPlace>(keys.cursor, { ...list, cursor });
    // Read before the search, because commits made meanwhile may not be indexed.
    const { repoId } = this.#grant;
    const searched = this.#filter.q === undefined ? undefined : await findSearchedThrough(store.database, repoId);
    const page = await this.#fill(request, kept);
    return { ...page, ...(searched !== undefined && { searchedThrough: searched }) };
  }

  async #fill({ list, order, limit, fields }: PageRequest, kept: KeptPlace | undefined): Promise<RecordListing> {
    const { keys, limits } = this.#context;
    const { atRepoSeq: repoSeq, target, parts } = await this.#open(kept);
    const cursorAt = (position: KeptPlace) => encodeCursor(keys.cursor, { ...list, position });
    const records: RenderedRecord[] = [];
    let [room, bytesLeft, lookedElsewhere] = [limit, limits.answerBytes, false];
    for await (const part of parts) {
      const isFull = room === 0 || bytesLeft <= 0;
      const page = { order, after: part.after, limit: isFull ? 1 : room, maxBytes: Math.max(1, bytesLeft) };
      const found = await this.#list(part, target, page);
      const isTooMuch = isFull || (records.length > 0 && found.bytes > bytesLeft);
      if (isTooMuch && found.records.length > 0) {
        return { repoSeq, records, lookedElsewhere, nextCursor: cursorAt(part.keep([])) };
      }
      if (isFull) continue;
      records.push(...(fields === undefined ? found.records : await projectEach(found.records, fields)));
      lookedElsewhere ||= found.lookedElsewhere;
      if (found.end !== undefined) {
        return { repoSeq, records, lookedElsewhere, nextCursor: cursorAt(part.keep(found.end)) };
      }
      [room, bytesLeft] = [room - found.records.length, bytesLeft - found.bytes];
    }
    return { repoSeq, records, lookedElsewhere };
  }

  async #open(kept: KeptPlace | undefined) {
    const { about, acrossRepos } = this.#filter;
    const grant = this.#grant;
    const atRepoSeq = keptSequence(grant, kept?.[0]) ?? sequenceOf(grant, this.#filter.atRepoSeq);
    const target = about === undefined ? undefined : await findTarget(this.#context, grant, about, atRepoSeq);
    const across = acrossRepos && target !== undefined ? aboutCondition(this.#filter, target) : undefined;
    return { atRepoSeq, target, parts: partsOf(this.#context, { grant, atRepoSeq, across, kept }) };
  }

  /** Another repository may lack a shape of that name or define it differently. It then contributes nothing. */
  async #filterIn(part: PartRequest, target: PointedRecord | undefined): Promise<RecordFilter | undefined> {
    const { grant, atRepoSeq } = part;
    try {
      return await readFilter(this.#context, grant, { input: this.#filter, atRepoSeq, target });
    } catch (error) {
      if (grant.repoId !== this.#grant.repoId && error instanceof CairnError && error.status === 400) return undefined;
      throw error;
    }
  }

  async #list(
    part: PartRequest,
    target: PointedRecord | undefined,
    page: { order: ListOrder; after: Position | undefined; limit: number; maxBytes: number },
  ): Promise<PartListing> {
    const filter = await this.#filterIn(part, target);
    if (filter === undefined) return { records: [], end: undefined, bytes: 0, lookedElsewhere: false };
    const { database } = this.#context.store;
    const { grant, atRepoSeq } = part;
    const { rows, more } = await listRecords(database, grant, { filter, ...page });
    const recordIds = rows.map(({ recordId }) => recordId);
    const { records, lookedElsewhere } = await readListed(database, grant, {
      recordIds,
      atRepoSeq,
      follow: filter.follow,
    });
    const seen: RenderedRecord[] = [];
    for (const record of records) {
      const { data, refs } = record;
      const identity = seenFrom(this.#grant, { grant }, record.identity);
      const origin = shownAuthor(grant, record.origin);
      const { search } = filter;
      seen.push({ identity, data, refs, origin: search === undefined ? origin : withSnippet(origin, record, search) });
      if (search !== undefined && isLarge(record)) await giveTurn();
    }
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    return { records: seen, end: more ? rows.at(-1)?.position : undefined, bytes, lookedElsewhere };
  }
}

async function projectEach(records: readonly RenderedRecord[], fields: readonly string[]): Promise<RenderedRecord[]> {
  const made: RenderedRecord[] = [];
  for (const record of records) {
    made.push(projected(record, fields));
    if (isLarge(record)) await giveTurn();
  }
  return made;
}

const LARGE_CHARACTERS = 50_000;

function isLarge({ data }: RenderedRecord): boolean {
  return data.length > LARGE_CHARACTERS;
}

function withSnippet(
  origin: RenderedRecord['origin'],
  { identity, data, refs }: RenderedRecord,
  words: readonly SearchWord[],
): RenderedRecord['origin'] {
  const references = refs === null ? [] : (JSON.parse(refs) as [string, string][]);
  const referencePaths = new Set(references.map(([path]) => path));
  const snippet = snippetOf({ name: identity.name, data: JSON.parse(data), referencePaths }, words);
  return snippet === undefined ? origin : { ...origin, snippet };
}

interface PartListing {
  readonly records: readonly RenderedRecord[];
  readonly end: Position | undefined;
  readonly bytes: number;
  readonly lookedElsewhere: boolean;
}

function projected(record: RenderedRecord, fields: readonly string[]): RenderedRecord {
  const data: unknown = JSON.parse(record.data);
  const kept = fields.map(stepsOf).filter((steps) => isThere(data, steps));
  const pointers = kept.map((steps) => steps.reduce(pointerTo, ''));
  const refs = record.refs === null ? [] : (JSON.parse(record.refs) as [string, string][]);
  const keptRefs = refs.filter(([path]) => pointers.some((pointer) => `${path}/`.startsWith(`${pointer}/`)));
  return {
    ...record,
    data: JSON.stringify(pick(data, kept)),
    refs: keptRefs.length === 0 ? null : JSON.stringify(keptRefs),
  };
}

function stepsOf(path: string): string[] {
  return path.startsWith('/') ? pointerTokens(path) : path.split('.');
}

function isThere(data: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return data !== undefined;
  return isJsonObject(data) && isThere(ownValue(data, step), rest);
}

function pick(data: unknown, paths: readonly (readonly string[])[]): unknown {
  if (!isJsonObject(data) || paths.some((path) => path.length === 0)) return data;
  const members = Object.keys(data).flatMap((key): [string, unknown][] => {
    const within = paths.filter(([first]) => first === key).map((path) => path.slice(1));
    return within.length === 0 ? [] : [[key, pick(data[key], within)]];
  });
  return Object.fromEntries(members);
}

/** Sequence, other repositories with theirs, the id after which there may be more, and the position in one. */
type KeptPlace = [repoSeq: number, sources: string, through: number, part: number, ...Position];

const OWN = 0;
const NO_THROUGH = 0;

interface PartRequest {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  readonly after: Position | undefined;
  readonly keep: (position: Position) => KeptPlace;
}

interface PartsRequest {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  readonly across: AboutCondition | undefined;
  readonly kept: KeptPlace | undefined;
}

async function* partsOf(context: Context, request: PartsRequest): AsyncGenerator<PartRequest> {
  const { grant, atRepoSeq, across, kept } = request;
  const [, , , from = OWN, ...position] = kept ?? [];
  const after = position.length === 0 ? undefined : position;
  let noted = across === undefined ? NO_SOURCES : await firstSources(context, { ...request, across });
  const keeper = (part: number, sources: NotedSources) => (place: Position) =>
    [atRepoSeq, formatSources(sources, part), sources.through ?? NO_THROUGH, part, ...place] satisfies KeptPlace;
  if (from === OWN) yield { grant, atRepoSeq, after, keep: keeper(OWN, noted) };
  for (;;) {
    for (const source of noted.sources) {
      const { repoId } = source.grant;
      yield { ...source, after: repoId === from ? after : undefined, keep: keeper(repoId, noted) };
    }
    if (across === undefined || noted.through === undefined) return;
    noted = await noteSources(context, referredRecord(grant, across), noted.through);
  }
}

async function firstSources(
  context: Context,
  { grant, across, kept }: PartsRequest & { across: AboutCondition },
): Promise<NotedSources> {
  if (kept === undefined) return await noteSources(context, referredRecord(grant, across), 0);
  const [, sources, through] = kept;
  return { sources: await reopenSources(context, sources), through: through === NO_THROUGH ? undefined : through };
}

function referredRecord({ repoId }: Grant, { target, memberRoles }: AboutCondition) {
  const longRead = new LongRead('Leave out acrossRepos, or ask each of the other repositories.');
  const roles = ['about', ...memberRoles];
  return { target, targetVersion: target.version, roles, longRead, except: repoId };
}
