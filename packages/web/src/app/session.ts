// Who looks: a browser that is signed in has a cookie, for which it gets a JWT that is kept here alone, and for as long as the
// page is open. Without one everything is asked for anonymously, and what is public is seen.
import { CairnClient } from '@cairn/sdk';

interface IssuedToken {
  readonly accessToken: string;
  readonly expiresAt: number;
}

/** So much before its end a token is too old to be sent: it must last until the request is there. */
const SPARE_MS = 60_000;

let current: Promise<IssuedToken | undefined> | undefined;

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

/** `refused` is a token that the server did not take: the next is asked for. */
async function getToken(refused?: string): Promise<string | undefined> {
  current ??= trade();
  const known = await current.catch((error: unknown) => {
    current = undefined;
    throw error;
  });
  if (known === undefined) return undefined;
  if (known.accessToken !== refused && known.expiresAt - Date.now() > SPARE_MS) return known.accessToken;
  current = trade();
  return (await current)?.accessToken;
}

/** The only way to data. */
export const client = new CairnClient({ url: window.location.origin, getToken });

/** The same, for who tells what is waited for: it fails at once, where the other waits and asks again. */
export const impatientClient = new CairnClient({ url: window.location.origin, getToken, retry: { tries: 0 } });
