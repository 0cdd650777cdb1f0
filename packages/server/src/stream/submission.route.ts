// The streaming submission of REST (spec 4.4): lines of NDJSON in, acknowledgement lines out while the upload goes on.
import { fail } from '@cairn/protocol/errors';
import { streamId, submissionQuery } from '@cairn/protocol/stream';
import { z } from 'zod';
import { answer } from '../http/answer.ts';
import { bodyStream, gunzipped, requireContentType } from '../http/body.ts';
import { type EdgeContext, operationContext, type RouteHandler, refreshedContext } from '../http/env.ts';
import { unknownPathError } from '../http/error.ts';
import { addressIn, readParameters } from '../http/query.ts';
import { streamOf } from '../http/stream.ts';
import { acknowledge } from './acknowledgement.route.ts';
import { admitSubmission, openSubmission, type Permit } from './submission.ts';

const NDJSON = 'application/x-ndjson';
const HEADERS = { 'cache-control': 'no-store', vary: 'Authorization' };
const path = z.object({ streamId });

export const submit: RouteHandler = async (c) => {
  const [context, address] = [operationContext(c), addressIn(c)];
  const grant = await admitSubmission(context, address);
  // Before anything else of the request is looked at: other errors would tell that there is something.
  if (grant === undefined) throw unknownPathError();
  requireContentType(c, NDJSON);
  const isPacked = isGzip(c);
  const { streamId } = path.parse(c.req.param());
  const query = submissionQuery.parse(readParameters(c, submissionQuery));
  const permit = () => permitAgain(c, grant);
  const submission = openSubmission(context, { grant, streamId, query, permit });
  const body = isPacked ? gunzipped(bodyStream(c), context.limits.gzipRatio) : bodyStream(c);
  const lines = acknowledge(c, { submission, body, offset: query.offset });
  // The status waits for the first chunk: what is wrong with that is an answer of its own, and no line in one.
  const first = await lines.next();
  const pieces = { next: startingWith(first, () => lines.next()), return: () => lines.return(undefined) };
  return await answer(c, { body: streamOf(c, pieces), contentType: NDJSON, headers: HEADERS });
};

/** Lines may come when the right to send them is over, the first as well as any other. */
async function permitAgain(c: EdgeContext, { repoId }: Permit['grant']): Promise<Permit> {
  const context = await refreshedContext(c);
  // Each chunk counts as a request, because gzip makes lines cheap to send.
  await c.get('deps').limiter.admit({ principal: context.principal, address: c.get('address') });
  const grant = await admitSubmission(context, addressIn(c));
  // Another repository may have been given the name meanwhile.
  if (grant?.repoId !== repoId) throw unknownPathError();
  return { context, grant };
}

function isGzip(c: EdgeContext): boolean {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === '' || encoding === 'identity') return false;
  throw fail('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Send the body as it is, or with Content-Encoding: gzip. No other encoding is taken.',
  });
}

function startingWith<Item>(first: Item, next: () => Promise<Item>): () => Promise<Item> {
  let isFirst = true;
  return async () => {
    if (!isFirst) return await next();
    isFirst = false;
    return first;
  };
}
