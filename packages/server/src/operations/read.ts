// Lists of records: the head snapshot, filtered queries, and what is asserted about a record. REST and procedures prepare
// a read alike; REST sends the texts of records on as they are stored, procedures the values.
import { CairnError } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { QueryInput, RecordCount, RecordPage, Snippet } from '@cairn/protocol/read';
import { snippetOf } from '../model/search-snippet.ts';
import { repositoryIn } from '../model/wref.ts';
import type { Grant } from '../store/grant.ts';
import { readListed } from '../store/record.ts';
import { countRecords, listRecords } from '../store/record-list/list.ts';
import type { ListOrder, PointedRecord, Position, RecordFilter } from '../store/record-list/list-request.ts';
import { type RenderedRecord, toRecordItem, toRecordText } from '../store/rendered-record.ts';
import type { RepositoryAddress } from '../store/repository.ts';
import { findSearchedThrough } from '../store/search-read.ts';
import { authorize, followOf } from './access.ts';
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
import { type KeptPlace, type Part, partsOf } from './record-part.ts';
import { sequenceOf } from './thing.ts';
import { readPredicate } from './where.ts';
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
  const tag = dependsOnOthers(context, grant, filter)
    ? undefined
    : tagOf(context, grant, { list, limit, cursor, count });
  return { grant, tag, read: () => (count === true ? read.count(cursor, list) : read.page(page)) };
}

/** Whether something else than this repository decides over the answer: the search index, or other repositories. */
function dependsOnOthers(context: Context, grant: Grant, { q, acrossRepos, about, where = [] }: FilterInput): boolean {
  if (q !== undefined || acrossRepos === true) return true;
  // Whether what a field points to is hidden may be decided elsewhere.
  if (where.length > 0 && (grant.narrowing !== undefined || followOf(context) !== undefined)) return true;
  const operands = where.map(readPredicate).flatMap(({ rhs }) => rhs);
  return [about, ...operands].some((text) => typeof text === 'string' && leadsAway(grant, text));
}

/** Of a list in the short form, any of its wrefs. */
function leadsAway({ repoId, repository }: Grant, text: string): boolean {
  return text.split(',').some((one) => {
    const place = repositoryIn(one);
    if (place === undefined) return false;
    if ('repoId' in place) return place.repoId !== repoId;
    return place.orgName !== repository.orgName || place.repoName !== repository.name;
  });
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

  async count(cursor: string | undefined, list: ListIdentity): Promise<RecordCount> {
    // It makes no difference, but one that belongs to another list is a mistake.
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
    // Before the words are looked up: what is committed meanwhile may not be among them.
    const { repoId } = this.#grant;
    const searched = this.#filter.q === undefined ? undefined : await findSearchedThrough(store.database, repoId);
    const page = await this.#fill(request, kept);
    return { ...page, ...(searched !== undefined && { searchedThrough: searched }) };
  }

  /** One repository after the other, until the page is full. */
  async #fill({ list, order, limit, fields }: PageRequest, kept: KeptPlace | undefined): Promise<RecordListing> {
    const { keys, limits } = this.#context;
    const { atRepoSeq: repoSeq, target, parts } = await this.#open(kept);
    const cursorAt = (position: KeptPlace) => encodeCursor(keys.cursor, { ...list, position });
    const records: RenderedRecord[] = [];
    let [room, bytesLeft, lookedElsewhere] = [limit, limits.answerBytes, false];
    for await (const part of parts) {
      const isFull = room === 0 || bytesLeft <= 0;
      // When the page is full, one more tells whether there are others.
      const page = { order, after: part.after, limit: isFull ? 1 : room, maxBytes: Math.max(1, bytesLeft) };
      const found = await this.#list(part, target, page);
      // Of each part one is given at least, which may be too much beside what there is already.
      const isTooMuch = isFull || (records.length > 0 && found.bytes > bytesLeft);
      if (isTooMuch && found.records.length > 0) {
        return { repoSeq, records, lookedElsewhere, nextCursor: cursorAt(part.keep([])) };
      }
      if (isFull) continue;
      for (const record of found.records) {
        records.push(fields === undefined ? record : projected(record, fields));
        await turnAfter(record);
      }
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
    const atRepoSeq = kept?.[0] ?? sequenceOf(grant, this.#filter.atRepoSeq);
    const target = about === undefined ? undefined : await findTarget(this.#context, grant, { about, atRepoSeq });
    const across = acrossRepos && target !== undefined ? aboutCondition(this.#filter, target) : undefined;
    return { atRepoSeq, target, parts: partsOf(this.#context, { grant, atRepoSeq, across, kept }) };
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

  async #list(part: Part, target: PointedRecord | undefined, page: PartPage): Promise<PartListing> {
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
      const identity = seenFrom(this.#grant, { grant }, record.identity);
      const origin = { ...shownAuthor(grant, record.origin), ...snippetIn(record, filter.search) };
      seen.push({ ...record, identity, origin });
      if (filter.search !== undefined) await turnAfter(record);
    }
    const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
    return { records: seen, end: more ? rows.at(-1)?.position : undefined, bytes, lookedElsewhere };
  }
}

const LARGE_CHARACTERS = 50_000;

/** What took long lets others have their turn. */
async function turnAfter({ data }: RenderedRecord): Promise<void> {
  if (data.length > LARGE_CHARACTERS) await new Promise((turn) => setImmediate(turn));
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
  /** How much they hold. */
  readonly bytes: number;
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
