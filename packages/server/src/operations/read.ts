// Lists of records: the head snapshot, filtered queries, and what is asserted about a record. REST and procedures prepare
// a read alike; REST sends the texts of records on as they are stored, procedures the values.
import { CairnError } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { QueryInput, RecordCount, RecordPage, Snippet } from '@cairn/protocol/read';
import { snippetOf } from '../model/search-snippet.ts';
import type { Grant } from '../store/grant.ts';
import { readListed } from '../store/record.ts';
import { countRecords, listRecords } from '../store/record-list/list.ts';
import type { ListOrder, PointedRecord, Position, RecordFilter } from '../store/record-list/list-request.ts';
import { type RenderedRecord, toRecordItem, toRecordText } from '../store/rendered-record.ts';
import type { RepositoryAddress } from '../store/repository.ts';
import { findSearchedThrough } from '../store/search-read.ts';
import { authorize } from './access.ts';
import { shownAuthor } from './attribution.ts';
import type { Context } from './context.ts';
import { decodeCursor, encodeCursor, type ListIdentity } from './cursor.ts';
import { entityTag } from './entity-tag.ts';
import { projected } from './projection.ts';
import {
  aboutCondition,
  checkFilter,
  type FilterInput,
  findTarget,
  readFilter,
  targetNotFound,
} from './record-filter.ts';
import { openOthers, type Part, type Pins, pinOthers } from './record-part.ts';
import { sequenceOf } from './thing.ts';
import { seenFrom } from './wref.ts';

export type ListProcedure = 'thing.head' | 'thing.query' | 'thing.about' | 'thing.search';

export interface RecordListing {
  readonly repoSeq: number;
  readonly records: readonly RenderedRecord[];
  readonly nextCursor?: string;
  /** Whether it depends on what other repositories let the caller see. */
  readonly lookedElsewhere: boolean;
  /** How far the search index has followed, where words were searched for. */
  readonly searchedThrough?: number;
}

export interface PreparedRead {
  readonly grant: Grant;
  /** What stands for the answer; `undefined` where it depends on more than this repository. */
  readonly tag: string | undefined;
  read(): Promise<RecordListing | RecordCount>;
}

/** After this the caller is known to see the repository, and nothing of it has been read. */
export async function prepareRead(
  context: Context,
  procedure: ListProcedure,
  input: QueryInput,
): Promise<PreparedRead> {
  const { orgName, repoName, order, fields, limit, cursor, count, ...filter } = input;
  checkFilter(filter, procedure === 'thing.about' ? 'wref' : 'about');
  const grant = await authorizeRead(context, { orgName, repoName }, filter);
  const list = listIdentity(procedure, grant, { ...filter, order, fields });
  const byDefault = filter.q === undefined ? 'created' : 'best';
  const page = { list, order: order ?? byDefault, fields, limit, cursor } as const;
  const read = new RecordRead(context, grant, filter);
  const tag =
    filter.q === undefined && filter.acrossRepos !== true
      ? tagOf(context, grant, { list, limit, cursor, count })
      : undefined;
  return { grant, tag, read: () => (count === true ? read.count() : read.page(page)) };
}

/** Where a record can be missing too, a missing repository is told in the same words. */
async function authorizeRead(context: Context, address: RepositoryAddress, { about }: FilterInput): Promise<Grant> {
  try {
    return await authorize(context, address, 'repo:read');
  } catch (error) {
    const isMissing = error instanceof CairnError && error.code === 'NOT_FOUND';
    throw isMissing && about !== undefined ? targetNotFound() : error;
  }
}

function listIdentity(procedure: ListProcedure, { repoId }: Grant, parameters: object): ListIdentity {
  const texts = Object.entries(parameters).map(([name, value]) => [name, value && JSON.stringify(value)]);
  return { procedure, parameters: { repoId, ...Object.fromEntries(texts) } };
}

interface TaggedList extends Pick<QueryInput, 'limit' | 'cursor' | 'count'> {
  readonly list: ListIdentity;
}

function tagOf(context: Context, grant: Grant, { list, ...rest }: TaggedList): string {
  return entityTag(context, grant, { route: list.procedure, parameters: { ...list.parameters, ...rest } });
}

/** What a cursor keeps: the sequence, the other repositories with theirs, which of them is next, and the place in it. */
type Kept = [repoSeq: number, pins: string, part: number, ...Position];

interface PageRequest {
  readonly list: ListIdentity;
  readonly order: ListOrder;
  readonly fields: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

interface PartPage {
  readonly order: ListOrder;
  readonly after: Position | undefined;
  readonly limit: number;
  readonly maxBytes: number;
}

class RecordRead {
  readonly #context: Context;
  readonly #grant: Grant;
  readonly #filter: FilterInput;

  constructor(context: Context, grant: Grant, filter: FilterInput) {
    this.#context = context;
    this.#grant = grant;
    this.#filter = filter;
  }

  async count(): Promise<RecordCount> {
    const { parts, target, repoSeq } = await this.#open(undefined);
    let count = 0;
    for (const part of parts) {
      const filter = part && (await this.#filterIn(part, target));
      if (part && filter) count += await countRecords(this.#context.store.database, part.grant, filter);
    }
    return { repoSeq, count };
  }

  async page(request: PageRequest): Promise<RecordListing> {
    const { keys, store } = this.#context;
    const { list, cursor } = request;
    const kept = cursor === undefined ? undefined : decodeCursor<Kept>(keys.cursor, { ...list, cursor });
    // Before the words are looked up: what is committed meanwhile may not be among them.
    const { repoId } = this.#grant;
    const searched = this.#filter.q === undefined ? undefined : await findSearchedThrough(store.database, repoId);
    const page = await this.#fill(request, kept);
    return { ...page, ...(searched !== undefined && { searchedThrough: searched }) };
  }

  /** One repository after the other, until the page is full. */
  async #fill({ list, order, limit, fields }: PageRequest, kept: Kept | undefined): Promise<RecordListing> {
    const { keys, limits } = this.#context;
    const { parts, pins, target, repoSeq } = await this.#open(kept);
    const [, , first = 0, ...position] = kept ?? [];
    const records: RenderedRecord[] = [];
    let lookedElsewhere = parts.length > 1;
    let after: Position | undefined = position.length === 0 ? undefined : position;
    for (let at = first; at < parts.length; at++, after = undefined) {
      const next = (...place: Position) =>
        encodeCursor(keys.cursor, { ...list, position: [repoSeq, pins, at, ...place] });
      // When the page is full, one more tells whether there are others.
      const room = Math.max(1, limit - records.length);
      const found = await this.#list(parts[at], target, { order, after, limit: room, maxBytes: limits.answerBytes });
      if (records.length === limit) {
        if (found.records.length > 0) return { repoSeq, records, lookedElsewhere, nextCursor: next() };
        continue;
      }
      records.push(...found.records.map((record) => (fields === undefined ? record : projected(record, fields))));
      lookedElsewhere ||= found.lookedElsewhere;
      if (found.end !== undefined) return { repoSeq, records, lookedElsewhere, nextCursor: next(...found.end) };
    }
    return { repoSeq, records, lookedElsewhere };
  }

  async #open(kept: Kept | undefined) {
    const { about, acrossRepos, atRepoSeq } = this.#filter;
    const repoSeq = kept?.[0] ?? sequenceOf(this.#grant, atRepoSeq);
    const target =
      about === undefined ? undefined : await findTarget(this.#context, this.#grant, { about, atRepoSeq: repoSeq });
    const pinned = acrossRepos && target !== undefined ? await this.#pins(kept, target) : [];
    const others = await openOthers(this.#context, pinned);
    const parts: readonly (Part | undefined)[] = [{ grant: this.#grant, atRepoSeq: repoSeq }, ...others];
    return { parts, pins: JSON.stringify(pinned), target, repoSeq };
  }

  async #pins(kept: Kept | undefined, target: PointedRecord): Promise<Pins> {
    if (kept !== undefined) return JSON.parse(kept[1]) as Pins;
    return await pinOthers(this.#context, aboutCondition(this.#filter, target));
  }

  /** Another repository may have another shape of that name, or none: then nothing of it is in the list. */
  async #filterIn(part: Part, target: PointedRecord | undefined): Promise<RecordFilter | undefined> {
    const { grant, atRepoSeq } = part;
    try {
      return await readFilter(this.#context, grant, { input: this.#filter, atRepoSeq, target });
    } catch (error) {
      if (grant.repoId !== this.#grant.repoId && error instanceof CairnError && error.status === 400) return undefined;
      throw error;
    }
  }

  async #list(part: Part | undefined, target: PointedRecord | undefined, page: PartPage): Promise<PartListing> {
    const filter = part && (await this.#filterIn(part, target));
    if (part === undefined || filter === undefined) return { records: [], end: undefined, lookedElsewhere: false };
    const { database } = this.#context.store;
    const { grant, atRepoSeq } = part;
    const { rows, more } = await listRecords(database, grant, { filter, ...page });
    const recordIds = rows.map(({ recordId }) => recordId);
    const { records, lookedElsewhere } = await readListed(database, grant, {
      recordIds,
      atRepoSeq,
      follow: filter.follow,
    });
    const seen = records.map((record) => ({
      ...record,
      identity: seenFrom(this.#grant, { grant }, record.identity),
      origin: { ...shownAuthor(grant, record.origin), ...snippetIn(record, filter.search) },
    }));
    return { records: seen, end: more ? rows.at(-1)?.position : undefined, lookedElsewhere };
  }
}

/** Where the words stand in what the caller sees. */
function snippetIn({ identity, data, refs }: RenderedRecord, words: RecordFilter['search']): { snippet?: Snippet } {
  if (words === undefined) return {};
  const references = refs === null ? [] : (JSON.parse(refs) as [string, string][]);
  const referencePaths = new Set(references.map(([path]) => path));
  const snippet = snippetOf({ name: identity.name, data: JSON.parse(data), referencePaths }, words);
  return snippet === undefined ? {} : { snippet };
}

interface PartListing {
  readonly records: readonly RenderedRecord[];
  /** The place of the last one, where there are others after it. */
  readonly end: Position | undefined;
  readonly lookedElsewhere: boolean;
}

/** The same as `toAnswer`, in JSON: the data of records goes out in the text that it was stored as. */
export function toAnswerText(read: RecordListing | RecordCount): string {
  if ('count' in read) return JSON.stringify(read);
  const { records, repoSeq, nextCursor, searchedThrough } = read;
  const rest = JSON.stringify({ nextCursor, searchedThrough });
  const items = records.map(toRecordText).join(',');
  return `{"repoSeq":${repoSeq},"items":[${items}]${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}

function toAnswer(read: RecordListing | RecordCount): RecordPage | RecordCount {
  if ('count' in read) return read;
  const { records, repoSeq, nextCursor, searchedThrough } = read;
  return {
    repoSeq,
    items: records.map(toRecordItem),
    ...(nextCursor !== undefined && { nextCursor }),
    ...(searchedThrough !== undefined && { searchedThrough }),
  };
}

export async function getHead(
  context: Context,
  input: ProcedureArguments<'thing.head'>,
): Promise<ProcedureOutput<'thing.head'>> {
  return toAnswer(await (await prepareRead(context, 'thing.head', input)).read());
}

export async function queryThings(
  context: Context,
  input: ProcedureArguments<'thing.query'>,
): Promise<ProcedureOutput<'thing.query'>> {
  return toAnswer(await (await prepareRead(context, 'thing.query', input)).read());
}

export async function getAbout(
  context: Context,
  { wref, ...input }: ProcedureArguments<'thing.about'>,
): Promise<ProcedureOutput<'thing.about'>> {
  return toAnswer(await (await prepareRead(context, 'thing.about', { ...input, about: wref })).read());
}

export async function searchThings(context: Context, input: ProcedureArguments<'thing.search'>): Promise<RecordPage> {
  return toAnswer(await (await prepareRead(context, 'thing.search', input)).read()) as RecordPage;
}

export async function countThings(context: Context, input: ProcedureArguments<'thing.count'>): Promise<RecordCount> {
  const { read } = await prepareRead(context, 'thing.query', { ...input, limit: 1, count: true });
  return (await read()) as RecordCount;
}
