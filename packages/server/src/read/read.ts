// Lists of records. REST sends record data as stored text, procedures as values.

import { repositoryIn } from '@cairn/model/wref';
import { CairnError } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { QueryInput, RecordCount, RecordPage } from '@cairn/protocol/read';
import { authorize, followOf } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { ListIdentity } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { withinBounds } from '../engine/read-bounds.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { entityTag } from './entity-tag.ts';
import { checkFilter, type FilterInput, readPredicate, targetNotFound } from './record-filter.ts';
import { toRecordItem, toRecordText } from './record-item.sql.ts';
import { type RecordListing, RecordRead } from './record-read.ts';

export type ListProcedure = 'thing.head' | 'thing.query' | 'thing.about' | 'thing.search';

export interface PreparedRead {
  /** `undefined` if the answer depends on more than this repository. */
  tag(): string | undefined;
  read(): Promise<RecordListing | RecordCount>;
}

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
  const tag = () =>
    dependsOnOthers(context, grant, filter)
      ? undefined
      : entityTag(context, grant, { route: list.procedure, parameters: { ...list.parameters, limit, cursor, count } });
  const go = () => (count === true ? read.count(cursor, list) : read.page(page));
  return { tag, read: () => withinBounds<ReturnType<PreparedRead['read']>>(context.client, go) };
}

function dependsOnOthers(context: Context, grant: Grant, { q, acrossRepos, about, where = [] }: FilterInput): boolean {
  if (q !== undefined || acrossRepos === true) return true;
  // Other repositories may decide whether a field's target is hidden.
  if (where.length > 0 && (grant.narrowing !== undefined || followOf(context) !== undefined)) return true;
  const operands = where.map(readPredicate).flatMap(({ rhs }) => rhs);
  return [about, ...operands].some((text) => typeof text === 'string' && leadsAway(grant, text));
}

function leadsAway({ repoId, repository }: Grant, text: string): boolean {
  return text.split(',').some((one) => {
    const place = repositoryIn(one);
    if (place === undefined) return false;
    if ('repoId' in place) return place.repoId !== repoId;
    return place.orgName !== repository.orgName || place.repoName !== repository.name;
  });
}

/** A missing repository gets the same answer as a missing record, if a record can be missing too. */
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
