// A condition for a sign-in may end while the sign-in runs, because checking a password is slow. Ending all sessions
// must also end one that is just being created.
import { describe, expect, it } from 'vitest';
import { createPerson } from '../../../../test/support/person.ts';
import { OWNER } from '../../../../test/support/server.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { linkIdentity, signInExternally } from './external/external-sign-in.ts';
import { setAccountActive } from './operator.ts';
import { changePassword } from './password.ts';
import { beginBrowserSession, beginClientSession, endEverySession, findBrowserSession, signIn } from './session.ts';

const { email, password } = OWNER;
const visitor = {};
const agent = undefined;

async function openAccount(engine: Engine) {
  const store = await openTestStore(engine);
  await createPerson(store, { ...OWNER, operator: true });
  await createPerson(store, { email: 'bea@example.com', password, operator: true });
  const { accountId, passwordHash } = await signIn(store, { email, password, visitor });
  const begin = () => beginBrowserSession(store, { accountId, passwordHash, visitor, agent });
  const beginSignedIn = async () => {
    const session = await findBrowserSession(store, await begin());
    if (session === undefined) throw new Error('nobody is signed in');
    return session;
  };
  const standing = async () =>
    (await store.database.query('select id from session where ended_at is null')).length +
    (await store.database.query('select issuer from external_identity')).length;
  return { store, accountId, begin, beginSignedIn, standing };
}

describe.each(ENGINES)('a session that is on its way on %s', (engine) => {
  it('does not begin with a password that was changed meanwhile', async () => {
    const { store, begin, standing } = await openAccount(engine);
    await changePassword(store, { email, password, newPassword: 'another horse battery' });
    await expect(begin()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await standing()).toBe(0);
  });

  it('does not begin with an identity when the password was changed meanwhile', async () => {
    const { store, beginSignedIn } = await openAccount(engine);
    const session = await beginSignedIn();
    const person = { issuer: 'https://i.example', subject: 's', email: undefined, emailVerified: false };
    await linkIdentity(store, { sessionId: session.sessionId, session, person }, {});
    const known = await signInExternally({ store, signup: 'open', providerName: 'Example' }, person, {});
    await changePassword(store, { email, password, newPassword: 'another horse battery' });
    const begun = beginBrowserSession(store, { ...known, visitor, agent });
    await expect(begun).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('does not begin for an account that was deactivated meanwhile, also not when it is active again', async () => {
    const { store, begin, standing } = await openAccount(engine);
    await setAccountActive(store, { email, active: false });
    await expect(begin()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await setAccountActive(store, { email, active: true });
    expect(await standing()).toBe(0);
  });

  it('is not given to a client, nor an identity connected, by a browser that was signed out meanwhile', async () => {
    const { store, beginSignedIn, standing } = await openAccount(engine);
    const session = await beginSignedIn();
    await endEverySession(store, session, { origin: {} });
    const { accountId, handle, sessionId } = session;
    const client = beginClientSession(store, {
      client: { id: 'c', name: 'C' },
      ...{ grantId: 'g', resource: 'r', decidedIn: sessionId, accountId, handle, origin: {} },
      expiresAt: Date.now() + 10_000,
    });
    await expect(client).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const person = { issuer: 'https://i.example', subject: 's', email: undefined, emailVerified: false };
    const linked = linkIdentity(store, { sessionId, session, person }, {});
    await expect(linked).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await standing()).toBe(0);
  });

  it('is ended or refused, whichever of many that begin and end come first', async () => {
    const { store, accountId, beginSignedIn, standing } = await openAccount(engine);
    for (let round = 0; round < 5; round += 1) {
      const session = await beginSignedIn();
      const { handle, sessionId: decidedIn } = session;
      const client = (grantId: string) =>
        beginClientSession(store, {
          client: { id: 'c', name: 'C' },
          ...{ grantId, resource: 'r', decidedIn, accountId, handle, origin: {} },
          expiresAt: Date.now() + 10_000,
        });
      const ids = Array.from({ length: 8 }, (_, at) => `${round}-${at}`);
      await Promise.allSettled([
        ...ids.slice(0, 4).map(client),
        endEverySession(store, session, { origin: {} }),
        ...ids.slice(4).map(client),
      ]);
      expect(await standing()).toBe(0);
    }
  });
});
