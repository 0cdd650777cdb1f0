// Concurrent changes to external identities.
import { describe, expect, it } from 'vitest';
import { ENGINES, openStoreAt, preparedLocation } from '../../../../../test/support/store.ts';
import { findIdentityHolder, listIdentities } from './external-identity.sql.ts';

const ISSUER = 'https://login.example';
const identityOf = (subject: string) => ({ issuer: ISSUER, subject, email: undefined, now: 1 });
const accountOf = (handle: string) => ({
  ...{ email: `${handle}@example.com`, handle, passwordHash: 'none' },
  operator: false,
});

describe.each(ENGINES)('identities on %s', (engine) => {
  async function open() {
    const location = await preparedLocation(engine);
    return [await openStoreAt(location), await openStoreAt(location)] as const;
  }

  it('that two accounts are made for at once are of one of them', async () => {
    const [store, other] = await open();
    const made = await Promise.allSettled(
      [store, other, store, other].map((one, n) =>
        one.write.createExternalAccount({ account: accountOf(`new-${n}`), identity: identityOf('s-1') }),
      ),
    );
    const done = made.filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(1);
    const accounts = await store.database.query('select handle from account');
    const holder = await findIdentityHolder(store.database, identityOf('s-1'));
    expect(accounts).toEqual([{ handle: holder?.handle }]);
  });

  it('that are all that an account has are not disconnected at once', async () => {
    const [store, other] = await open();
    const { id } = await store.write.createExternalAccount({
      account: accountOf('new'),
      identity: identityOf('s-1'),
    });
    const session = { id: 'of-a-browser', accountId: id, createdAt: 1, expiresAt: 2 };
    await store.write.createSession(session);
    await store.write.linkIdentity({ ...identityOf('s-2'), accountId: id, sessionId: session.id });
    const removal = { accountId: id, issuer: ISSUER, usableIssuer: ISSUER, noPasswordHash: 'none' };
    const removed = await Promise.allSettled([
      store.write.unlinkIdentity({ ...removal, subject: 's-1' }),
      other.write.unlinkIdentity({ ...removal, subject: 's-2' }),
    ]);
    expect(removed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = await listIdentities(store.database, id);
    expect(left).toHaveLength(1);
    // An identity at a provider that is no longer configured does not count. With a password, no identity is needed.
    const [last] = left;
    const whole = { ...removal, subject: last?.subject ?? '' };
    await expect(store.write.unlinkIdentity({ ...whole, usableIssuer: undefined })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await store.write.unlinkIdentity({ ...whole, noPasswordHash: 'another' });
    expect(await listIdentities(store.database, id)).toEqual([]);
  });
});
