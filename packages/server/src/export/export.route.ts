// The export of REST (spec 4.2): a stream of NDJSON, or a job to mint and redeem.
import { type ExportStatus, exportQuery } from '@cairn/protocol/export';
import { z } from 'zod';
import { answer, answerJson } from '../http/answer.ts';
import { type EdgeContext, operationContext, type RouteHandler, refreshedContext } from '../http/env.ts';
import { addressIn, readParameters } from '../http/query.ts';
import { streamOf } from '../http/stream.ts';
import { openExport } from './export.ts';

/** Other values of prefer and mode, and what stands beside a token, are conflicts: no default may hide them. */
const parameters = exportQuery.extend({
  prefer: z.string().optional(),
  mode: z.string().optional(),
  sinceRepoSeq: exportQuery.shape.sinceRepoSeq.unwrap().optional(),
});

const HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
const RETRY_AFTER_S = '1';

export const exportRepository: RouteHandler = async (c) => {
  // The parameters are looked at once it is known that the caller may export.
  const given = () => parameters.parse(readParameters(c, parameters));
  const refresh = () => refreshedContext(c);
  const opened = await openExport(operationContext(c), { address: addressIn(c), parameters: given, refresh });
  if (opened.kind === 'minted') return await answerWaiting(c, opened.minted);
  if (opened.kind === 'redeemed') return await answerStatus(c, opened.status);
  return await answer(c, { body: streamOf(c, opened.lines), contentType: 'application/x-ndjson', headers: HEADERS });
};

function answerWaiting(c: EdgeContext, body: object): Response | Promise<Response> {
  return answerJson(c, body, { status: 202, headers: { ...HEADERS, 'retry-after': RETRY_AFTER_S } });
}

function answerStatus(c: EdgeContext, status: ExportStatus): Response | Promise<Response> {
  if (status.state !== 'complete') return answerWaiting(c, { state: status.state });
  const { state: _, ...complete } = status;
  return answerJson(c, complete, { headers: HEADERS });
}
