import { randomBytes } from 'node:crypto';
import { storableText } from '@cairn/model/problem';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import { VERSION } from '@cairn/protocol/version';
import { type DeliveryEvent, TRACE_HEADER } from '@cairn/protocol/vocabulary';
import type { Context, Keys } from '../../access/context.ts';
import { homeOf, systemGrant } from '../../access/grant.rule.ts';
import { authorizeHome } from '../../access/home.ts';
import type { Database, Reader } from '../../engine/database.ts';
import { createScrubber, secretsInUrl } from '../../keys/scrub.ts';
import { type MatchedOperation, readMatched } from '../../read/matched-operation.sql.ts';
import { readRepositoryRow } from '../../repository/repository.sql.ts';
import type { Store } from '../../store.ts';
import { formatRunId } from '../run-id.rule.ts';
import type { StartedRun } from '../run-start.sql.ts';
import { findSubscription } from '../subscription.sql.ts';
import { formatTrace, type Trace } from '../trace.ts';
import type { Outbound } from './client.ts';
import { type OpenedCredentials, openCredentials, type RefusedCredentials } from './credential-set.ts';
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
  readonly target: 'webhook' | 'fallback';
  readonly url: string;
  /** The same for every attempt, so that receivers recognize duplicates. */
  readonly runId: string;
  readonly attempt: number;
  readonly trace: Trace;
  readonly body: string;
}

export interface DeliveredAnswer {
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly responseSnippet?: string;
}

const OPEN: OpenedCredentials = { headersFor: () => ({}), scrub: (text) => text };

/** Throws only if the signal is aborted or this server fails, never because of the receiver. */
export async function sendDelivery(
  sender: DeliverySender,
  delivery: Delivery,
  signal?: AbortSignal,
): Promise<DeliveredAnswer> {
  const credentials = await credentialsFor(sender, delivery);
  if ('code' in credentials) return { verdict: judge(credentials, Date.now()), durationMs: 0 };
  const { url, body } = delivery;
  const headers = headersOf(sender, delivery, credentials);
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
  { store, keys }: DeliverySender,
  { url, credentialSetId, ...delivery }: Delivery,
): Promise<OpenedCredentials | RefusedCredentials> {
  if (credentialSetId === null) return OPEN;
  const { homeId, subscriptionName, target, runId, attempt } = delivery;
  const { origin } = new URL(url);
  const actor = `subscription:${subscriptionName}`;
  const use = { homeId, credentialSetId, actor, target, origin, details: { runId, attempt } };
  return await openCredentials({ store, keys }, use);
}

function headersOf(
  { keys }: DeliverySender,
  { runId: id, trace, body }: Delivery,
  credentials: OpenedCredentials,
): Record<string, string> {
  const at = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...credentials.headersFor({ id, at, body }),
    'content-type': 'application/json',
    'user-agent': `Cairn/${VERSION}`,
    [TRACE_HEADER]: formatTrace(keys.trace, trace, Date.now()),
  };
}

const BYTES_MAX = 256 * 1024;
/** No operation takes fewer bytes, so more operations than these never fit. */
const OPERATION_BYTES_MIN = 64;
const OPERATIONS_MAX = BYTES_MAX / OPERATION_BYTES_MIN;

type DeliveredRun = Pick<
  StartedRun,
  'runId' | 'attempt' | 'traceId' | 'originRepoId' | 'repoSeq' | 'matched' | 'data' | 'failure'
> & { readonly event: DeliveryEvent | string };

interface PayloadRequest {
  readonly homeId: number;
  readonly subscriptionName: string;
  readonly run: DeliveredRun;
  readonly publicUrl: string;
}

export async function payloadOf(database: Database, request: PayloadRequest): Promise<string> {
  const { homeId, run } = request;
  const head = await headOf(database, request);
  const { repoSeq, matched, originRepoId } = run;
  const repoId = originRepoId ?? homeId;
  const operations =
    repoSeq === null || repoId < 0
      ? []
      : await readMatched(database, systemGrant(repoId, 'delivery'), {
          repoSeq,
          opIndexes: matched.slice(0, OPERATIONS_MAX),
          dataBytesMax: BYTES_MAX,
        });
  return fitted(head, operations, matched.length);
}

async function headOf(
  database: Database,
  { homeId, subscriptionName, run, publicUrl }: PayloadRequest,
): Promise<string> {
  const { runId, repoSeq, originRepoId, data, failure } = run;
  const head = {
    event: run.event,
    traceId: run.traceId,
    runId,
    attempt: run.attempt,
    subscriptionName,
    ...(await findRunNames(database, { homeId, originRepoId })),
    ...(repoSeq !== null && { repoSeq }),
    callback_url: `${publicUrl}/api/action-runs/${runId}/callback`,
    ...(failure !== undefined && { failure }),
    ...(data !== null && { data: JSON.parse(data) as unknown }),
    matchedOperationIndexes: run.matched,
  };
  return JSON.stringify(head).slice(0, -1);
}

async function findRunNames(reader: Reader, { homeId, originRepoId }: { homeId: number; originRepoId: number | null }) {
  const home = homeOf(homeId);
  const repo = 'repoId' in home ? await namesOf(reader, home.repoId) : null;
  const origin = originRepoId !== null && { originRepo: await namesOf(reader, originRepoId) };
  return { repo, ...origin };
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
  const { store, publicUrl } = context;
  const { webhookUrl: url, credentialSetId } = await findSubscription(store.database, { homeId, name });
  const runId = formatRunId(homeId, randomBytes(TRACE_BYTES));
  const trace = { traceId: randomBytes(TRACE_BYTES).toString('hex'), depth: 1, via: [] };
  const run = { ...NO_COMMIT, event: 'cairn.test', runId, attempt: 1, traceId: trace.traceId };
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
