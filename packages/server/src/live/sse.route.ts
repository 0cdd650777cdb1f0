// The live stream (spec 6): opened with a ticket, and then written to by the hub for as long as both ends like.
import { fail } from '@cairn/protocol/errors';
import { liveQuery } from '@cairn/protocol/live';
import { ANSWERED, openAnswer } from '../http/answer.ts';
import { operationContext, type RouteHandler } from '../http/env.ts';
import { readParameters } from '../http/query.ts';
import { admitListener } from './live.ts';

const HEADERS = {
  'cache-control': 'no-store',
  // Else some proxies gather events before they pass them on.
  'x-accel-buffering': 'no',
  // When the stream ends, so does the connection: a server that stops waits for none.
  connection: 'close',
};

/** HEAD would use up the ticket, and tell nothing. */
export const getAlone: RouteHandler = () => {
  throw fail('METHOD_NOT_ALLOWED', { message: 'Use GET on this path.', details: { allow: 'GET' } });
};

export const sse: RouteHandler = async (c) => {
  if (c.req.method !== 'GET') return getAlone(c);
  const { ticket } = liveQuery.parse(readParameters(c, liveQuery));
  const { live } = c.get('deps');
  const lastEventId = c.req.header('last-event-id');
  const admitted = await admitListener(operationContext(c), live, { ticket, lastEventId });
  live.hub.open({ ...admitted, answer: openAnswer(c, { contentType: 'text/event-stream', headers: HEADERS }) });
  return ANSWERED;
};
