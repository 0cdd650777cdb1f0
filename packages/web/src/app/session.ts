// Who looks: a browser that is signed in has a cookie, for which it gets a JWT that is kept here alone, and for as long as the
// page is open. Without one everything is asked for anonymously, and what is public is seen.
import { CairnClient } from '@cairn/sdk';
import { useSyncExternalStore } from 'react';
import { type IssuedToken, type Session, SessionTokens } from './session-tokens.ts';

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

const url = window.location.origin;

/** The only way to data. */
export const client = new CairnClient({ url, getToken: tokens.get });

/** The same, for who tells what is waited for: it fails at once, where the other waits and asks again. */
export const impatientClient = new CairnClient({ url, getToken: tokens.get, retry: { tries: 0 } });
