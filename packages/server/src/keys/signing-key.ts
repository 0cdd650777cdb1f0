// Another key for the signatures of sessions: when an operator wants it, and by itself after 90 days. Sessions go on.
import { CairnError, fail } from '@cairn/protocol/errors';
import { auditedBy } from '../access/audit.ts';
import type { Store } from '../store.ts';
import { listOperatorIds } from './secret-rotation.sql.ts';
import { listSigningGenerations, type SigningGeneration } from './signing-generation.sql.ts';
import { type SigningKeys, stillVerifying } from './signing-keys.ts';

const SIGNS_MS = 90 * 86_400_000;
// Each is held against every token, and listed for everybody.
const VERIFYING_MAX = 8;

export interface RotatedSigningKey {
  /** The number of the key, the first one being 1. */
  readonly generation: number;
  readonly since: number;
}

export async function rotateSigningKey(store: Store, now = Date.now()): Promise<RotatedSigningKey> {
  const from = await listSigningGenerations(store.database);
  const standing = stillVerifying(from, now);
  if (standing.length >= VERIFYING_MAX) {
    throw fail('CONFLICT', {
      message: `The signing key was rotated ${VERIFYING_MAX} times within the last hour, and tokens of all of them may still be in use. Try again in an hour.`,
      details: { reason: 'too_many_keys' },
    });
  }
  return await append(store, { from, standing, now, actor: 'operator' });
}

/** What every node does once a minute. */
export async function followSigningKey(store: Store, signingKeys: SigningKeys): Promise<void> {
  await rotateAgedSigningKey(store, Date.now());
  await signingKeys.reload();
}

/** Of nodes that do it at once, one does. */
export async function rotateAgedSigningKey(store: Store, now: number): Promise<void> {
  const from = await listSigningGenerations(store.database);
  const signing = from.at(-1);
  try {
    // Its age is counted from here on: nothing knows how old it is.
    if (signing === undefined) await store.write('rotateSigningKey', { from, to: [{ generation: 1, since: now }] });
    else if (signing.since + SIGNS_MS <= now) {
      await append(store, { from, standing: stillVerifying(from, now), now, actor: 'server' });
    }
  } catch (error) {
    if (error instanceof CairnError && error.code === 'CONFLICT') return;
    throw error;
  }
}

interface Appending {
  readonly from: readonly SigningGeneration[];
  readonly standing: readonly SigningGeneration[];
  readonly now: number;
  readonly actor: 'operator' | 'server';
}

async function append(store: Store, { from, standing, now, actor }: Appending): Promise<RotatedSigningKey> {
  // Where nothing was kept yet, the first is what signs.
  const before = standing.length === 0 ? [{ generation: 1, since: 0 }] : standing;
  const next = { generation: (before.at(-1)?.generation ?? 1) + 1, since: now };
  const operators = await listOperatorIds(store.database);
  const audit = auditedBy(
    actor,
    {},
    {
      action: 'admin.rotateSigningKey',
      target: 'server',
      details: { generation: next.generation, reason: actor === 'operator' ? 'by an operator' : 'after 90 days' },
      places: operators.map((accountId) => ({ accountId })),
    },
  );
  await store.write('rotateSigningKey', { from, to: [...before, next] }, audit);
  return next;
}
