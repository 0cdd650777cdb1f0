// A delivery that tells of nothing, so that whoever sets up a receiver sees how it answers. It is no run: nothing is kept of it but
// the use of its credentials.
import { randomBytes } from 'node:crypto';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Context } from '../../access/context.ts';
import { authorizeHome } from '../../access/home.ts';
import { formatRunId } from '../run-id.rule.ts';
import { findSubscription } from '../subscription.sql.ts';
import { sendDelivery } from './delivery.ts';
import { payloadOf } from './delivery-payload.ts';

const TRACE_BYTES = 16;
const NOTHING = { originRepoId: null, repoSeq: null, matched: [], data: null, failure: undefined };

export async function testSubscription(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.test'>,
): Promise<ProcedureOutput<'subscription.test'>> {
  const { homeId } = await authorizeHome(context, address);
  const { store, publicUrl } = context;
  const { webhookUrl: url, credentialSetId } = await findSubscription(store.database, { homeId, name });
  const runId = formatRunId(homeId, randomBytes(TRACE_BYTES));
  const trace = { traceId: randomBytes(TRACE_BYTES).toString('hex'), depth: 1, via: [] };
  const run = { ...NOTHING, event: 'cairn.test', runId, attempt: 1, traceId: trace.traceId };
  const body = await payloadOf(store.database, { homeId, subscriptionName: name, run, publicUrl });
  const delivery = {
    homeId,
    subscriptionName: name,
    credentialSetId,
    target: 'webhook',
    url,
    runId,
    attempt: 1,
  } as const;
  const { verdict, durationMs, responseSnippet } = await sendDelivery(context, { ...delivery, trace, body });
  const { outcome, httpStatus, errorCode, errorMessage } = verdict;
  return {
    outcome,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(errorCode !== undefined && { errorCode, errorMessage }),
    durationMs,
    ...(responseSnippet !== undefined && { responseSnippet }),
  };
}
