// The keys that session tokens are signed with: one at a time, and those before it, which still verify what they have
// signed. Every node derives them from the secret and looks up in the database which generations there are.
import type { JWK } from 'jose';
import type { Reader } from '../engine/database.ts';
import {
  ALGORITHM,
  deriveSigningKey,
  headerText,
  namesSomeKey,
  SESSION_TOKEN_SECONDS,
  type SigningKey,
} from './session-jwt.ts';
import { listSigningGenerations, type SigningGeneration } from './signing-generation.sql.ts';

/** A node that has not heard of a rotation signs with the key before until then. */
export const RELOAD_EVERY_MS = 60_000;
/** For how long a key verifies when another has taken its place: its last token, signed by the node that heard last. */
export const VERIFIES_MS = SESSION_TOKEN_SECONDS * 1_000 + 5 * RELOAD_EVERY_MS;
// Tokens that name keys nobody has must not cost a statement each.
const UNKNOWN_EVERY_MS = 1_000;

/** What a server has on which nothing was kept yet. */
const FIRST: SigningGeneration = { generation: 1, since: 0 };

/** Those of which a token may still be good, oldest first; the last one signs. */
export function stillVerifying(generations: readonly SigningGeneration[], now: number): SigningGeneration[] {
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
