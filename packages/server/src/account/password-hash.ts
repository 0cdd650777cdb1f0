// Password hashing: argon2id in the PHC string format.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { fail } from '@cairn/protocol/errors';

const argon2Async = promisify(argon2);

/** The first choice of RFC 9106 for servers with little memory: 64 MiB, three passes. Tests lower it. */
export const COST = { memory: 65_536, passes: 3, parallelism: 4 };
const TAG_BYTES = 32;

export class BoundedQueue {
  readonly #limits: { readonly atOnceMax: number; readonly waitingMax: number };
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: { atOnceMax: number; waitingMax: number }) {
    this.#limits = limits;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    const { atOnceMax, waitingMax } = this.#limits;
    if (this.#running < atOnceMax) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= waitingMax) {
      throw fail('UNAVAILABLE', {
        message: 'Too many people are signing in right now. Try again in a moment.',
        retryAfter: 5,
      });
    }
    await new Promise<void>((resume) => this.#waiting.push(resume));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}

// All servers of a process share it: each hash takes 64 MiB, and a few hundred concurrent sign-ins would end the
// process. The queue drains within about five seconds.
const hashing = new BoundedQueue({ atOnceMax: 2, waitingMax: 50 });

function derive(parameters: Argon2Parameters): Promise<Buffer> {
  return hashing.run(() => argon2Async('argon2id', parameters));
}

/** For accounts without a password, and for unknown emails, which must take as long as any other. Never change it. */
export const NOBODYS_HASH =
  '$argon2id$v=19$m=65536,t=3,p=4$bm8gYWNjb3VudCBoZXJlIQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive({ message: password, nonce: salt, tagLength: TAG_BYTES, ...COST });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Uses the cost of the stored hash, so that raising the cost does not lock anyone out. */
export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash is not in PHC format');
  const expected = Buffer.from(tag, 'base64');
  const actual = await derive({
    message: password,
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(actual, expected);
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '');
}
