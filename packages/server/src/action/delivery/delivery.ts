import { randomBytes } from 'node:crypto';
import { storableText } from '@cairn/model/problem';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import { TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { Context, Keys } from '../../access/context.ts';
import { homeOf, systemGrant } from '../../access/grant.rule.ts';
import { authorizeHome } from '../../access/home.ts';
import type { Reader } from '../../engine/database.ts';
import { createScrubber, secretsInUrl } from '../../keys/scrub.ts';
import { type MatchedOperation, readMatched } from '../../read/matched-operation.sql.ts';
import { readRepositoryRow } from '../../repository/repository.sql.ts';
import type { Store } from '../../store.ts';
import { formatRunId } from '../run-id.rule.ts';
import type { StartedRun } from '../run-start.sql.ts';
import { findSubscription } from '../subscription.sql.ts';
import { formatTrace, type Trace } from '../trace.ts';
import type { Outbound } from './client.ts';
import { NO_CREDENTIALS, type OpenedCredentials, openCredentials, type RefusedCredentials } from './credential-set.ts';
import { webhookHeaders } from './delivery-header.ts';
import { judge, type Verdict } from './delivery-verdict.ts';

export interface DeliverySender {
  readonly store: Store;
  readonly keys: Keys;
  readonly outbound: Outbound;
  readonly publicUrl: string;
}

interface Delivery {
  readonly homeId: number;
  readonly subscriptionName: string;
  readonly credentialSetId: string | null;
  readonly url: string;
  readonly run: DeliveredRun;
  readonly trace: Trace;
}

export interface DeliveredAnswer {
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly responseSnippet?: string;
}

/** Throws only if the signal is aborted or this server fails, never because of the receiver. */
export async function sendDelivery(
  sender: DeliverySender,
  delivery: Delivery,
  signal?: AbortSignal,
): Promise<DeliveredAnswer> {
  const credentials = await credentialsFor(sender, delivery);
  if ('code' in credentials) return { verdict: judge(credentials, Date.now()), durationMs: 0 };
  const { url, run, trace } = delivery;
  const body = await payloadOf(sender, delivery);
  const headers = {
    ...webhookHeaders(credentials, run.runId, body),
    [TRACE_HEADER]: formatTrace(sender.keys.trace, trace, Date.now()),
  };
  const answer = await sender.outbound.send({ method: 'POST', url, headers, body, ...(signal && { signal }) });
  const verdict = judge(answer, Date.now());
  const { errorMessage } = verdict;
  const scrubUrl = createScrubber(secretsInUrl(url));
  // Receivers often echo the path, and only callers who may reveal the URL should see it.
  const storable = (text: string) => storableText(scrubUrl(credentials.scrub(text)));
  return {
    verdict: { ...verdict, ...(errorMessage !== undefined && { errorMessage: storable(errorMessage) }) },
    durationMs: Math.round(answer.durationMs),
    ...(answer.kind === 'answer' && { responseSnippet: storable(answer.body) }),
  };
}

async function credentialsFor(
  sender: DeliverySender,
  { homeId, subscriptionName, credentialSetId, url, run }: Delivery,
): Promise<OpenedCredentials | RefusedCredentials> {
  if (credentialSetId === null) return NO_CREDENTIALS;
  const { target, runId, attempt } = run;
  const { origin } = new URL(url);
  const actor = `subscription:${subscriptionName}`;
  return await openCredentials(sender, { homeId, credentialSetId, actor, target, origin, details: { runId, attempt } });
}

const BYTES_MAX = 256 * 1024;
/** No operation takes fewer bytes, so more operations than these never fit. */
const OPERATION_BYTES_MIN = 64;
const OPERATIONS_MAX = BYTES_MAX / OPERATION_BYTES_MIN;

type DeliveredRun = Omit<StartedRun, 'depth' | 'via' | 'maxAttempts'>;

async function payloadOf(sender: DeliverySender, delivery: Delivery): Promise<string> {
  const { homeId, run } = delivery;
  const { repoSeq, matched, originRepoId } = run;
  const repoId = originRepoId ?? homeId;
  const operations =
    repoSeq === null || repoId < 0
      ? []
      : await readMatched(sender.store.database, systemGrant(repoId, 'delivery'), {
          repoSeq,
          opIndexes: matched.slice(0, OPERATIONS_MAX),
          dataBytesMax: BYTES_MAX,
        });
  return fitted(await headOf(sender, delivery), operations, matched.length);
}

async function headOf(
  { store: { database }, publicUrl }: DeliverySender,
  { homeId, subscriptionName, run }: Delivery,
): Promise<string> {
  const { event, traceId, runId, attempt, repoSeq, originRepoId, data, failure } = run;
  const home = homeOf(homeId);
  const head = {
    ...{ event, traceId, runId, attempt, subscriptionName },
    repo: 'repoId' in home ? await namesOf(database, home.repoId) : null,
    ...(originRepoId !== null && { originRepo: await namesOf(database, originRepoId) }),
    ...(repoSeq !== null && { repoSeq }),
    callback_url: `${publicUrl}/api/action-runs/${runId}/callback`,
    ...(failure !== undefined && { failure }),
    ...(data !== null && { data: JSON.parse(data) as unknown }),
    matchedOperationIndexes: run.matched,
  };
  return JSON.stringify(head).slice(0, -1);
}

async function namesOf(reader: Reader, repoId: number) {
  const row = await readRepositoryRow(reader, repoId);
  return row === undefined ? null : { orgName: row.org_name, repoName: row.name };
}

function fitted(head: string, operations: readonly MatchedOperation[], matched: number): string {
  const whole = operations.length === matched && operations.every(hasItsData);
  const complete = textOf(head, operations.map(operationText), '');
  if (whole && isSmall(complete)) return complete;
  const bare = operations.map(({ data: _, ...operation }) => operationText(operation));
  const without = textOf(head, bare, '');
  if (operations.length === matched && isSmall(without)) return without;
  let left = BYTES_MAX - Buffer.byteLength(textOf(head, [], TRUNCATED));
  const kept = bare.findIndex((text) => {
    left -= Buffer.byteLength(text) + 1;
    return left < 0;
  });
  return textOf(head, kept === -1 ? bare : bare.slice(0, kept), TRUNCATED);
}

const TRUNCATED = ',"truncated":true';
const isSmall = (text: string) => Buffer.byteLength(text) <= BYTES_MAX;
const hasItsData = ({ operation, data }: MatchedOperation) =>
  data !== undefined || (operation !== 'add' && operation !== 'revise');

function textOf(head: string, operations: readonly string[], end: string): string {
  return `${head},"matchedOperations":[${operations.join(',')}]${end}}`;
}

/** Inserts data as the text that it was stored as. */
function operationText({ data, ...operation }: MatchedOperation): string {
  const text = JSON.stringify(operation);
  return data === undefined ? text : `${text.slice(0, -1)},"data":${data}}`;
}

const TRACE_BYTES = 16;
const NO_COMMIT = { originRepoId: null, repoSeq: null, matched: [], data: null, failure: undefined };

export async function testSubscription(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.test'>,
): Promise<ProcedureOutput<'subscription.test'>> {
  const { homeId } = await authorizeHome(context, address);
  const { webhookUrl: url, credentialSetId } = await findSubscription(context.store.database, { homeId, name });
  const runId = formatRunId(homeId, randomBytes(TRACE_BYTES));
  const trace = { traceId: randomBytes(TRACE_BYTES).toString('hex'), depth: 1, via: [] };
  const { verdict, durationMs, responseSnippet } = await sendDelivery(context, {
    homeId,
    subscriptionName: name,
    credentialSetId,
    url,
    run: { ...NO_COMMIT, event: 'cairn.test', target: 'webhook', runId, attempt: 1, traceId: trace.traceId },
    trace,
  });
  const { outcome, httpStatus, errorCode, errorMessage } = verdict;
  return {
    outcome,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(errorCode !== undefined && { errorCode, errorMessage }),
    durationMs,
    ...(responseSnippet !== undefined && { responseSnippet }),
  };
}
