// The keys that session tokens are signed with: one at a time, and those before it, which still verify what they have
// signed. Every node derives them from the secret and looks up in the database which generations there are.

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

/** A node that has not heard of a rotation signs with the key before until then. */
export const RELOAD_EVERY_MS = 60_000;
/** For how long a key verifies when another has taken its place: its last token, signed by the node that heard last. */
export const VERIFIES_MS = SESSION_TOKEN_SECONDS * 1_000 + 5 * RELOAD_EVERY_MS;
// Tokens that name keys nobody has must not cost a statement each.
const UNKNOWN_EVERY_MS = 1_000;

/** What a server has on which nothing was kept yet. */
const FIRST: SigningGeneration = { generation: 1, since: 0 };

/** Those of which a token may still be good, oldest first; the last one signs. */
function stillVerifying(generations: readonly SigningGeneration[], now: number): SigningGeneration[] {
  return generations.filter((_, at) => {
    const next = generations[at + 1];
    return next === undefined || now < next.since + VERIFIES_MS;
  });
}

/** Private, and never to leave the process. */
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

  /** What signs. */
  current(): SigningKey {
    return this.#keyOf(this.#generations.at(-1) ?? FIRST);
  }

  /** All that verify: what signs first, then what signed before. */
  verifying(now = Date.now()): SigningKey[] {
    return stillVerifying(this.#generations, now)
      .reverse()
      .map((generation) => this.#keyOf(generation));
  }

  /** Changes whenever the keys do. */
  get version(): string {
    return this.verifying()
      .map(({ id }) => id)
      .join(' ');
  }

  /** Which key a token names. One that is unknown here may be of a rotation that this node has not heard of yet. */
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

  /** One for all who ask meanwhile. It begins after each of them came, so that nobody is refused for what it missed. */
  async #reloadForUnknown(): Promise<void> {
    this.#reloading ??= this.#reloadLater();
    await this.#reloading;
  }

  async #reloadLater(): Promise<void> {
    const waitMs = this.#reloadedAt + UNKNOWN_EVERY_MS - performance.now();
    await new Promise((resume) => setTimeout(resume, Math.max(0, waitMs)));
    // Who comes from here on waits for the next.
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

// Another key for the signatures of sessions: when an operator wants it, and by itself after 90 days. Sessions go on.

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

// Gives the server another secret, on its own machine. Whatever the old one has signed ends.

export interface RotatedSecret {
  /** How many values were sealed anew. */
  readonly credentialValues: number;
}

export async function rotateSecret(store: Store, { from, to }: { from: string; to: string }): Promise<RotatedSecret> {
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
  await store.write('rotateSecret', { from: fingerprintOf(from), to: fingerprintOf(to), values }, audit);
  return { credentialValues: values.length };
}
