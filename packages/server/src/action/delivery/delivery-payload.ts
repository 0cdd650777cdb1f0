// The body of a delivery. Data goes in as the text that it was stored as.
import type { DeliveryEvent } from '@cairn/protocol/subscription-event';
import { systemGrant } from '../../access/grant.rule.ts';
import { homeOf } from '../../access/home.rule.ts';
import type { Database, Reader } from '../../engine/database.ts';
import { type MatchedOperation, readMatched } from '../../read/matched-operation.sql.ts';
import { readRepositoryRow } from '../../repository/repository.sql.ts';
import type { StartedRun } from '../run-start.sql.ts';

const BYTES_MAX = 256 * 1024;
/** None is told of in fewer bytes, so more would not fit. */
const OPERATION_BYTES_MIN = 64;
const OPERATIONS_MAX = BYTES_MAX / OPERATION_BYTES_MIN;

type Told = Pick<
  StartedRun,
  'runId' | 'attempt' | 'traceId' | 'originRepoId' | 'repoSeq' | 'matched' | 'data' | 'failure'
> & {
  readonly event: DeliveryEvent | string;
};

export interface PayloadRequest {
  readonly homeId: number;
  readonly subscriptionName: string;
  readonly run: Told;
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
    ...(await placesOf(database, { homeId, originRepoId })),
    ...(repoSeq !== null && { repoSeq }),
    callback_url: `${publicUrl}/api/action-runs/${runId}/callback`,
    ...(failure !== undefined && { failure }),
    ...(data !== null && { data: JSON.parse(data) as unknown }),
    matchedOperationIndexes: run.matched,
  };
  return JSON.stringify(head).slice(0, -1);
}

async function placesOf(reader: Reader, { homeId, originRepoId }: { homeId: number; originRepoId: number | null }) {
  const home = homeOf(homeId);
  const repo = 'repoId' in home ? await namesOf(reader, home.repoId) : null;
  const origin = originRepoId !== null && { originRepo: await namesOf(reader, originRepoId) };
  return { repo, ...origin };
}

async function namesOf(reader: Reader, repoId: number) {
  const row = await readRepositoryRow(reader, repoId);
  return row === undefined ? null : { orgName: row.org_name, repoName: row.name };
}

/** With data; else without; else only as many as fit. */
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

function operationText({ data, ...operation }: MatchedOperation): string {
  const text = JSON.stringify(operation);
  return data === undefined ? text : `${text.slice(0, -1)},"data":${data}}`;
}
