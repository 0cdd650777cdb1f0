// The repository reads of REST (spec 4.1).
import { aboutInput, headInput, type QueryInput, queryInput } from '@cairn/protocol/read';
import type { Context } from '../access/context.ts';
import { answer } from '../http/answer.ts';
import { proveCaller } from '../http/arrival.ts';
import { type Answered, type Exchange, operationContext, type RouteHandler } from '../http/exchange.ts';
import { addressIn, readParameters } from '../http/query.ts';
import { entityTagOf, matchesTag } from './entity-tag.ts';
import { type PointRead, readPoint } from './point-read.ts';
import { type ListProcedure, prepareRead, toAnswerText } from './read.ts';
import { toRecordText } from './record-item.sql.ts';

const ADDRESS = { orgName: true, repoName: true } as const;
const headParameters = headInput.omit(ADDRESS);
const queryParameters = queryInput.omit(ADDRESS);
const aboutParameters = aboutInput.omit({ ...ADDRESS });

export const head: RouteHandler = (c) => {
  const match = ONLY_MATCH.exec(c.search)?.[1]?.replace(/%2f/i, '/');
  if (match === undefined) return readHead(c);
  const { org: orgName = '', repo: repoName = '' } = c.params as Record<string, string>;
  const context = operationContext(c);
  const point = readPoint(context, { orgName, repoName }, match);
  const answerWith = (found: Awaited<typeof point>) =>
    found === undefined ? readHead(c) : answerPoint(c, { ...found, context, match });
  return point instanceof Promise ? point.then(answerWith) : answerWith(point);
};

async function readHead(c: Exchange): Promise<Answered> {
  await proveCaller(c);
  return await answerRead(c, 'thing.head', headParameters.parse(readParameters(c, headParameters)));
}

export const query: RouteHandler = (c) =>
  answerRead(c, 'thing.query', queryParameters.parse(readParameters(c, queryParameters)));

export const about: RouteHandler = (c) => {
  const given = readParameters(c, aboutParameters.omit({ wref: true }));
  const { wref, ...parameters } = aboutParameters.parse({ ...given, wref: c.params.wref });
  return answerRead(c, 'thing.about', { ...parameters, about: wref });
};

const ANY = '*';
const READ_HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

const ONLY_MATCH = /^\?match=([\w-]+(?:\/|%2[Ff])[\w-]+)$/;

interface FoundPoint extends PointRead {
  readonly context: Context;
  readonly match: string;
}

function answerPoint(
  c: Exchange,
  { grant, repoSeq, record, context, match }: FoundPoint,
): Answered | Promise<Answered> {
  const etag = entityTagOf(context, grant, `["thing.head",[["match","${match}"]]]`);
  const headers = { ...READ_HEADERS, etag };
  const held = c.header('if-none-match');
  if (held !== undefined && matchesTag(held, etag)) return answer(c, { status: 304, body: null, headers });
  const body = `{"repoSeq":${repoSeq},"items":[${toRecordText(record)}]}`;
  return answer(c, { body, contentType: 'application/json', headers });
}

type Parameters = Omit<QueryInput, keyof typeof ADDRESS>;

async function answerRead(c: Exchange, procedure: ListProcedure, parameters: Parameters): Promise<Answered> {
  const prepared = await prepareRead(operationContext(c), procedure, { ...addressIn(c), ...parameters });
  const tag = prepared.tag();
  const held = c.header('if-none-match');
  if (tag !== undefined && held !== ANY && matchesTag(held, tag)) {
    return await answer(c, { status: 304, body: null, headers: { ...READ_HEADERS, etag: tag } });
  }
  const found = await prepared.read();
  // Access to other repositories may change without a commit here, so such answers get no tag.
  const isWhole = 'count' in found || !found.lookedElsewhere;
  const given = isWhole ? tag : undefined;
  const tagged = { ...READ_HEADERS, ...(given !== undefined && { etag: given }) };
  // For `If-None-Match: *`, the existence of the answer is known only now.
  if (held === ANY && given !== undefined) return await answer(c, { status: 304, body: null, headers: tagged });
  return await answer(c, { body: toAnswerText(found), contentType: 'application/json', headers: tagged });
}
