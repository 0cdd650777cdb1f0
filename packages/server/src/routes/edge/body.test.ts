// A body that takes its time, over a real socket.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../../test/support/store.ts';
import { createToken, EVERYTHING } from '../../operations/account.ts';

describe.each(UPPER_ENGINES)('a slow body on %s', (engine) => {
  it('is of no use to who has lost the right meanwhile', async () => {
    const { url, store } = await startTestServer(engine);
    await createOwnerToken(store);
    const { token } = await createToken(store, { email: 'ada@example.com', name: 'thief', scopes: EVERYTHING });
    const body = JSON.stringify({ name: 'acme' });
    const answered = new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = request(`${url}/trpc/org.create`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.write(body.slice(0, 3));
      const management = { accountId: 1, ancestorId: undefined };
      // The server has the headers by then; the rest comes when the token is revoked, and somewhat later.
      setTimeout(async () => {
        await store.write('revokeToken', { management, name: 'thief', now: Date.now() });
        setTimeout(() => sent.end(body.slice(3)), 400);
      }, 100);
    });
    expect(await answered).toBe(401);
    expect(await store.database.query("select id from organization where name = 'acme'")).toEqual([]);
  });
});
