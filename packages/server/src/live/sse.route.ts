// The live stream (spec 6): opened with a ticket, then written by the hub.
import { fail } from '@cairn/protocol/errors';
import { liveQuery } from '@cairn/protocol/stream';
import { openAnswer } from '../http/answer.ts';
import { ANSWERED, operationContext, type RouteHandler } from '../http/exchange.ts';
import { readParameters } from '../http/query.ts';
import { admitListener } from './live.ts';

const HEADERS = {
  'cache-control': 'no-store',
  // Keeps some proxies from buffering events.
  'x-accel-buffering': 'no',
  // Closes the connection with the stream, so that a stopping server need not wait for it.
  connection: 'close',
};

/** HEAD would use up the ticket for nothing. */
export const getAlone: RouteHandler = () => {
  throw fail('METHOD_NOT_ALLOWED', { message: 'Use GET on this path.', details: { allow: 'GET' } });
};

export const sse: RouteHandler = async (c) => {
  if (c.method !== 'GET') return getAlone(c);
  const { ticket } = liveQuery.parse(readParameters(c, liveQuery));
  const { live } = c.deps;
  const lastEventId = c.header('last-event-id');
  const admitted = await admitListener(operationContext(c), live, ticket, lastEventId);
  live.hub.open({ ...admitted, answer: openAnswer(c, { contentType: 'text/event-stream', headers: HEADERS }) });
  return ANSWERED;
};
