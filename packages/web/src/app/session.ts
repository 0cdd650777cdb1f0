// Who looks: a browser that is signed in has a cookie, for which it gets a JWT that is kept here alone, and for as long as the
// page is open. Without one everything is asked for anonymously, and what is public is seen. A session may end elsewhere: then
// nothing is asked for until somebody is signed in again, so that the page keeps what it shows and what was begun on it.
import { CairnClient, CairnError } from '@cairn/sdk';
import { useSyncExternalStore } from 'react';

interface IssuedToken {
  readonly accessToken: string;
  readonly expiresAt: number;
}

/** So much before its end a token is too old to be sent: it must last until the request is there. */
const SPARE_MS = 60_000;

interface Session {
  /** Whether somebody was signed in, and is not any more. */
  readonly isEnded: boolean;
  /** Counts the times that somebody was signed in again. */
  readonly turn: number;
}

let current: Promise<IssuedToken | undefined> | undefined;
let session: Session = { isEnded: false, turn: 0 };
const listeners = new Set<() => void>();

function become(next: Session) {
  session = next;
  for (const listener of listeners) listener();
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

const signedOut = () =>
  new CairnError('UNAUTHENTICATED', { message: 'You are signed out. Sign in, and go on: your changes are kept.' });

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

/** The next token after one that is over; of the same person. */
async function renew(known: IssuedToken): Promise<string> {
  const next = await trade();
  if (next === undefined) {
    if (!session.isEnded) become({ ...session, isEnded: true });
    throw signedOut();
  }
  current = Promise.resolve(next);
  const isOther = subjectOf(next) !== subjectOf(known);
  if (isOther || session.isEnded) become({ isEnded: false, turn: session.turn + 1 });
  if (isOther) throw somebodyElse();
  return next.accessToken;
}

/** `refused` is a token that the server did not take: the next is asked for. */
async function getToken(refused?: string): Promise<string | undefined> {
  current ??= trade();
  const known = await current.catch((error: unknown) => {
    current = undefined;
    throw error;
  });
  if (known === undefined) return undefined;
  const isFresh = known.accessToken !== refused && known.expiresAt - Date.now() > SPARE_MS;
  return isFresh && !session.isEnded ? known.accessToken : await renew(known);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const useSession = (): Session => useSyncExternalStore(subscribe, () => session);

/** Who comes back to this page may have signed in on another. */
export async function lookAgain(): Promise<void> {
  if (session.isEnded) await getToken().catch(() => undefined);
}

/** The only way to data. */
export const client = new CairnClient({ url: window.location.origin, getToken });

/** The same, for who tells what is waited for: it fails at once, where the other waits and asks again. */
export const impatientClient = new CairnClient({ url: window.location.origin, getToken, retry: { tries: 0 } });
