// The current key signs; earlier ones verify what they signed. Every node derives them from the secret.

import { CairnError, fail } from '@cairn/protocol/errors';
import type { JWK } from 'jose';
import { auditedBy, auditedByOperator } from '../access/audit.ts';
import type { Reader } from '../engine/database.ts';
import type { Store } from '../store.ts';
import { seal, sealingKey, unseal } from './sealing.ts';
import { fingerprintOf } from './secret.ts';
import {
  listOperatorIds,
  listSealedValues,
  listSigningGenerations,
  type SigningGeneration,
} from './server-fact.sql.ts';
import {
  ALGORITHM,
  deriveSigningKey,
  headerText,
  namesSomeKey,
  SESSION_TOKEN_SECONDS,
  type SigningKey,
} from './session-jwt.ts';

/** A node may sign with the previous key until its next reload. */
export const RELOAD_EVERY_MS = 60_000;
/** Covers tokens that a node signed before it heard of the rotation. */
export const VERIFIES_MS = SESSION_TOKEN_SECONDS * 1_000 + 5 * RELOAD_EVERY_MS;
// Limits database reads for tokens that name unknown keys.
const UNKNOWN_EVERY_MS = 1_000;

const FIRST: SigningGeneration = { generation: 1, since: 0 };

function stillVerifying(generations: readonly SigningGeneration[], now: number): SigningGeneration[] {
  return generations.filter((_, at) => {
    const next = generations[at + 1];
    return next === undefined || now < next.since + VERIFIES_MS;
  });
}

/** Contains the private key, so it must never leave the process. */
export function toJwk({ id, privateKey }: SigningKey): JWK {
  return { ...privateKey.export({ format: 'jwk' }), kid: id, alg: ALGORITHM, use: 'sig' };
}

export class SigningKeys {
  readonly #reader: Reader;
  readonly #secret: string;
  readonly #derived = new Map<number, SigningKey>();
  #generations: readonly SigningGeneration[] = [FIRST];
  #reloading: Promise<void> | undefined;
  #reloadedAt = 0;

  constructor({ reader, secret }: { reader: Reader; secret: string }) {
    this.#reader = reader;
    this.#secret = secret;
  }

  current(): SigningKey {
    return this.#keyOf(this.#generations.at(-1) ?? FIRST);
  }

  verifying(now = Date.now()): SigningKey[] {
    return stillVerifying(this.#generations, now)
      .reverse()
      .map((generation) => this.#keyOf(generation));
  }

  get version(): string {
    return this.verifying()
      .map(({ id }) => id)
      .join(' ');
  }

  async keyOfToken(token: string): Promise<SigningKey | undefined> {
    const [header = ''] = token.split('.', 1);
    const known = this.#named(header);
    if (known !== undefined || !namesSomeKey(header)) return known;
    await this.#reloadForUnknown();
    return this.#named(header);
  }

  async reload(): Promise<void> {
    this.#reloadedAt = performance.now();
    const found = await listSigningGenerations(this.#reader);
    if (found.length > 0) this.#generations = found;
  }

  /** Shared by all waiting callers. It starts after each arrived, so none misses a recent rotation. */
  async #reloadForUnknown(): Promise<void> {
    this.#reloading ??= this.#reloadLater();
    await this.#reloading;
  }

  async #reloadLater(): Promise<void> {
    const waitMs = this.#reloadedAt + UNKNOWN_EVERY_MS - performance.now();
    await new Promise((resume) => setTimeout(resume, Math.max(0, waitMs)));
    this.#reloading = undefined;
    await this.reload();
  }

  #named(header: string): SigningKey | undefined {
    return this.verifying().find((key) => headerText(key) === header);
  }

  #keyOf({ generation }: SigningGeneration): SigningKey {
    const known = this.#derived.get(generation);
    if (known !== undefined) return known;
    const key = deriveSigningKey(this.#secret, generation);
    this.#derived.set(generation, key);
    return key;
  }
}

const SIGNS_MS = 90 * 86_400_000;
// Every key is tried for each token and published, so their number is limited.
const VERIFYING_MAX = 8;

export async function rotateSigningKey(store: Store, now = Date.now()): Promise<SigningGeneration> {
  const from = await listSigningGenerations(store.database);
  if (stillVerifying(from, now).length >= VERIFYING_MAX) {
    throw fail('CONFLICT', {
      message: `The signing key was rotated ${VERIFYING_MAX} times within the last hour, and tokens of all of them may still be in use. Try again in an hour.`,
      details: { reason: 'too_many_keys' },
    });
  }
  return await append(store, { from, now, actor: 'operator' });
}

export async function followSigningKey(store: Store, signingKeys: SigningKeys): Promise<void> {
  await rotateAgedSigningKey(store, Date.now());
  await signingKeys.reload();
}

/** When several nodes try at once, one succeeds and the others get a CONFLICT. */
export async function rotateAgedSigningKey(store: Store, now: number): Promise<void> {
  const from = await listSigningGenerations(store.database);
  const signing = from.at(-1);
  try {
    if (signing === undefined) await store.write.rotateSigningKey({ from, to: [{ generation: 1, since: now }] });
    else if (signing.since + SIGNS_MS <= now) await append(store, { from, now, actor: 'server' });
  } catch (error) {
    if (error instanceof CairnError && error.code === 'CONFLICT') return;
    throw error;
  }
}

async function append(
  store: Store,
  { from, now, actor }: { from: readonly SigningGeneration[]; now: number; actor: 'operator' | 'server' },
): Promise<SigningGeneration> {
  const standing = stillVerifying(from, now);
  const before = standing.length === 0 ? [FIRST] : standing;
  const next = { generation: (before.at(-1)?.generation ?? 1) + 1, since: now };
  const operators = await listOperatorIds(store.database);
  const reason = actor === 'operator' ? 'by an operator' : 'after 90 days';
  const details = { generation: next.generation, reason };
  const places = operators.map((accountId) => ({ accountId }));
  const audit = auditedBy(actor, {}, { action: 'admin.rotateSigningKey', target: 'server', details, places });
  await store.write.rotateSigningKey({ from, to: [...before, next] }, audit);
  return next;
}

/** Replaces the server's secret. Everything that the old secret signed becomes invalid. */
export async function rotateSecret(
  store: Store,
  { from, to }: { from: string; to: string },
): Promise<{ credentialValues: number }> {
  const { database } = store;
  const [before, after] = [sealingKey(from), sealingKey(to)];
  const sealed = await listSealedValues(database);
  const values = sealed.map((value) => ({
    ...value,
    sealedAnew: seal(after, value, unseal(before, value, value.value)),
  }));
  const operators = await listOperatorIds(database);
  const audit = auditedByOperator({
    action: 'admin.rotateSecret',
    target: 'server',
    details: { credentialValues: values.length },
    places: operators.map((accountId) => ({ accountId })),
  });
  await store.write.rotateSecret({ from: fingerprintOf(from), to: fingerprintOf(to), values }, audit);
  return { credentialValues: values.length };
}
