// The session: a cookie is traded for a JWT, which stays in memory. Without one, requests are anonymous.
import { CairnClient, CairnError } from '@cairn/sdk';
import { useSyncExternalStore } from 'react';

// If the session ends elsewhere, requests fail until the next sign-in, so that the page keeps what it shows.

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresAt: number;
}

interface Session {
  readonly isEnded: boolean;
  readonly turn: number;
}

/** Tokens this close to their end are renewed: they must last until the request arrives. */
const SPARE_MS = 60_000;

export class SessionTokens {
  readonly #trade: () => Promise<IssuedToken | undefined>;
  #current: Promise<IssuedToken | undefined> | undefined;
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

  /** `refused` is a token that the server rejected. */
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

const signedOut = () => new CairnError('UNAUTHENTICATED', { message: 'You are signed out. Sign in to continue.' });

/** Prevents sending one person's draft as another. */
const somebodyElse = () =>
  new CairnError('UNAUTHENTICATED', {
    message: 'Nothing was sent: another account is now signed in to this browser. Check which one before you continue.',
  });

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
  // On a foreign origin the server signs nobody in; public data stays readable.
  if (answer.status === 204 || answer.status === 403) return undefined;
  if (!answer.ok)
    throw new Error(`Your session could not be checked: the server answered ${answer.status}. Reload the page.`);
  return (await answer.json()) as IssuedToken;
}

const tokens = new SessionTokens(trade);

export const useSession = (): Session => useSyncExternalStore(tokens.subscribe, tokens.session);

export async function lookAgain(): Promise<void> {
  if (tokens.session().isEnded) await tokens.get().catch(() => undefined);
}

// Tests load this file without a browser.
const url = globalThis.location?.origin ?? 'http://localhost';

export const client = new CairnClient({ url, getToken: tokens.get });

export const impatientClient = new CairnClient({ url, getToken: tokens.get, retry: { tries: 0 } });
