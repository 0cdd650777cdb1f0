// Who looks: a browser that is signed in has a cookie, for which it gets a JWT that is kept here alone, and for as long as the
// page is open. Without one everything is asked for anonymously, and what is public is seen.
import { CairnClient, CairnError } from '@cairn/sdk';
import { useSyncExternalStore } from 'react';

// The tokens of who is signed in, one after the other. A session may end elsewhere: then nothing is asked for until somebody is
// signed in again, so that the page keeps what it shows and what was begun on it.

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresAt: number;
}

export interface Session {
  /** Whether somebody was signed in, and is not any more. */
  readonly isEnded: boolean;
  /** Counts the times that somebody was signed in again. */
  readonly turn: number;
}

/** So much before its end a token is too old to be sent: it must last until the request is there. */
const SPARE_MS = 60_000;

export class SessionTokens {
  /** Asks who is signed in; `undefined` where nobody is. */
  readonly #trade: () => Promise<IssuedToken | undefined>;
  #current: Promise<IssuedToken | undefined> | undefined;
  /** One for all calls that wait for the next token. */
  #renewing: Promise<string> | undefined;
  #session: Session = { isEnded: false, turn: 0 };
  readonly #listeners = new Set<() => void>();

  constructor(trade: () => Promise<IssuedToken | undefined>) {
    this.#trade = trade;
  }

  readonly session = (): Session => this.#session;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** `refused` is a token that the server did not take: the next is asked for. */
  readonly get = async (refused?: string): Promise<string | undefined> => {
    this.#current ??= this.#trade();
    const known = await this.#current.catch((error: unknown) => {
      this.#current = undefined;
      throw error;
    });
    if (known === undefined) return undefined;
    const isFresh = known.accessToken !== refused && known.expiresAt - Date.now() > SPARE_MS;
    if (isFresh && !this.#session.isEnded) return known.accessToken;
    this.#renewing ??= this.#renew(known).finally(() => {
      this.#renewing = undefined;
    });
    return await this.#renewing;
  };

  /** The next token after one that is over; of the same person. */
  async #renew(known: IssuedToken): Promise<string> {
    const next = await this.#trade();
    if (next === undefined) {
      if (!this.#session.isEnded) this.#become({ ...this.#session, isEnded: true });
      throw signedOut();
    }
    this.#current = Promise.resolve(next);
    const isOther = subjectOf(next) !== subjectOf(known);
    if (isOther || this.#session.isEnded) this.#become({ isEnded: false, turn: this.#session.turn + 1 });
    if (isOther) throw somebodyElse();
    return next.accessToken;
  }

  #become(next: Session): void {
    this.#session = next;
    for (const listener of this.#listeners) listener();
  }
}

const signedOut = () => new CairnError('UNAUTHENTICATED', { message: 'You are signed out. Sign in, and go on.' });

/** What was begun by one must not be sent as another. */
const somebodyElse = () =>
  new CairnError('UNAUTHENTICATED', {
    message: 'Somebody else is signed in in this browser now, and nothing was done. Look who it is before you go on.',
  });

/** Whose a token is, as its second part says. */
function subjectOf({ accessToken }: IssuedToken): unknown {
  const [, body = ''] = accessToken.split('.');
  return (JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown }).sub;
}

async function trade(): Promise<IssuedToken | undefined> {
  const answer = await fetch('/auth/session-token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  // Under another address than its own the server signs nobody in: what is public is seen all the same.
  if (answer.status === 204 || answer.status === 403) return undefined;
  if (!answer.ok) throw new Error(`Who you are could not be found out: the server answered ${answer.status}.`);
  return (await answer.json()) as IssuedToken;
}

const tokens = new SessionTokens(trade);

export const useSession = (): Session => useSyncExternalStore(tokens.subscribe, tokens.session);

/** Who comes back to this page may have signed in on another. */
export async function lookAgain(): Promise<void> {
  if (tokens.session().isEnded) await tokens.get().catch(() => undefined);
}

// Tests of pure functions load this file without a browser.
const url = globalThis.location?.origin ?? 'http://localhost';

/** The only way to data. */
export const client = new CairnClient({ url, getToken: tokens.get });

/** The same, for who tells what is waited for: it fails at once, where the other waits and asks again. */
export const impatientClient = new CairnClient({ url, getToken: tokens.get, retry: { tries: 0 } });
