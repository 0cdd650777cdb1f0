// Streams of submissions: how far one is, and its end.
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import type { StreamStatus } from '@cairn/protocol/stream';
import { authorize } from '../access/access.ts';
import { ownerOf } from '../access/attribution.ts';
import type { Context } from '../access/context.ts';
import { readStream } from './stream.sql.ts';
import { readRefusals } from './stream-refusal.sql.ts';

// A step holds up other writes for some milliseconds.
const TOKENS_A_STEP_MAX = 2_000;

/** Streams are their owner's: of another's nothing is told. */
export async function getStreamStatus(
  context: Context,
  { streamId, refusedAfter, ...address }: ProcedureArguments<'stream.status'>,
): Promise<StreamStatus> {
  const grant = await authorize(context, address, 'repo:write');
  const { database } = context.store;
  const key = { streamId, owner: ownerOf(context.principal) };
  const status = await readStream(database, grant, key);
  if (refusedAfter === undefined) return status;
  // After the status: what it counts is among them.
  return { ...status, refused: await readRefusals(database, { repoId: grant.repoId, ...key }, refusedAfter) };
}

export async function closeStream(
  context: Context,
  { streamId, ...address }: ProcedureArguments<'stream.close'>,
): Promise<StreamStatus> {
  const grant = await authorize(context, address, 'repo:write');
  const owner = ownerOf(context.principal);
  const key = { grant, streamId, owner };
  const closed = await context.store.write('closeStream', { ...key, now: Date.now() });
  while (!(await context.store.write('forgetStreamTokens', { ...key, tokensMax: TOKENS_A_STEP_MAX })));
  return closed;
}
