// REST routes for actions (spec 4.3): runs of a repository, and reports from receivers.

import { callbackBody, notificationQuery, runId, runQuery } from '@cairn/protocol/action';
import { answerJson } from '../http/answer.ts';
import { refreshedContext } from '../http/arrival.ts';
import {
  type Answered,
  type Exchange,
  operationContext,
  parseBody,
  type RouteHandler,
  readBody,
} from '../http/exchange.ts';
import { addressIn, readParameters } from '../http/query.ts';
import * as action from './action.ts';

const HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
const CALLBACK_BYTES_MAX = 512 * 1024;
const CALLBACK_DEPTH_MAX = 64;

export const runs: RouteHandler = async (c) => {
  const parameters = runQuery.parse(readParameters(c, runQuery));
  return answered(c, await action.listRuns(operationContext(c), { ...addressIn(c), ...parameters }));
};

export const attempts: RouteHandler = async (c) => {
  const input = { ...addressIn(c), runId: runIdIn(c) };
  return answered(c, await action.listAttempts(operationContext(c), input));
};

export const notifications: RouteHandler = async (c) => {
  const parameters = notificationQuery.parse(readParameters(c, notificationQuery));
  return answered(c, await action.listNotifications(operationContext(c), { ...addressIn(c), ...parameters }));
};

/** Authorization comes first, so that other callers learn nothing about the body. */
export const callback: RouteHandler = async (c) => {
  const id = runIdIn(c);
  await action.authorizeReport(operationContext(c), id);
  const text = await readBody(c, { contentType: 'application/json', maxBytes: CALLBACK_BYTES_MAX });
  const report = callbackBody.parse(parseBody(text, CALLBACK_DEPTH_MAX));
  return answered(c, await action.reportRun(await refreshedContext(c), { runId: id, ...report }));
};

function runIdIn(c: Exchange): string {
  const given = c.params.runId ?? '';
  return runId.safeParse(given).success ? given : '';
}

function answered(c: Exchange, body: object): Answered | Promise<Answered> {
  return answerJson(c, body, { headers: HEADERS });
}
