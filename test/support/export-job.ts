// Export jobs over HTTP. Tests start their builds, because an app without a port has no background jobs.
import { createHash, randomUUID } from 'node:crypto';
import type { exportComplete } from '@cairn/protocol/export';
import { DEFAULT_LIMITS } from '@cairn/protocol/limits';
import type { z } from 'zod';
import type { BlobStore } from '../../packages/server/src/export/blob-store.ts';
import { buildExport, claimExport, type ExportBuilder } from '../../packages/server/src/export/export-build.job.ts';
import type { ClaimedExport } from '../../packages/server/src/export/export-job.sql.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { type Exportable, requestExport } from './export.ts';

export const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

type World = Pick<Exportable, 'app' | 'session'>;

export async function mint({ app, session }: World, query = ''): Promise<string> {
  const answer = await requestExport(app, { query: `prefer=async&${query}`, token: session });
  const body = (await answer.json()) as { exportToken: string };
  if (answer.status !== 202) throw new Error(`the mint answered ${answer.status}: ${JSON.stringify(body)}`);
  return body.exportToken;
}

export function redeem({ app, session }: World, token: string): Promise<Response> {
  return requestExport(app, { query: `token=${token}`, token: session });
}

/** The answer of a complete job. Fails the test for any other answer. */
export async function redeemed(world: World, token: string): Promise<z.infer<typeof exportComplete>> {
  const answer = await redeem(world, token);
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(`the redemption answered ${answer.status}: ${JSON.stringify(body)}`);
  return body as z.infer<typeof exportComplete>;
}

export async function download({ app }: Pick<World, 'app'>, url: string, headers: Record<string, string> = {}) {
  return await app.request(url, { headers });
}

export function builderOn(
  { store, blobs }: { store: Store; blobs: BlobStore },
  limits: ExportBuilder['limits'] = DEFAULT_LIMITS,
): ExportBuilder & { failures: unknown[] } {
  const failures: unknown[] = [];
  return { store, blobs, limits, failures, onFailure: (error) => failures.push(error) };
}

export async function buildExports(builder: ExportBuilder): Promise<void> {
  for (let claimed = await claimExport(builder); claimed !== undefined; claimed = await claimExport(builder)) {
    await buildExport(builder, claimed, NEVER);
  }
}

export async function buildAll(world: { store: Store; blobs: BlobStore }): Promise<void> {
  const builder = builderOn(world);
  await buildExports(builder);
  if (builder.failures.length > 0) throw builder.failures[0];
}

/** Claims an export like a node that never finishes it or has died. The default lease is long. */
export async function claimOne(store: Store, lease: { now?: number; leaseMs?: number } = {}): Promise<ClaimedExport> {
  const wish = { claim: randomUUID(), now: Date.now(), leaseMs: HOUR_MS, perRepository: 2, ...lease };
  const claimed = await store.write.claimExport(wish);
  if (claimed === undefined) throw new Error('there is no export to build');
  return claimed;
}

export const sha256Of = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
