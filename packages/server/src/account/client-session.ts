// The session of a client: what somebody who is signed in has let it do in their name. It has the id of the grant.

import { auditedBy } from '../access/audit.ts';
import type { Origin } from '../access/context.ts';
import { hashCode } from '../keys/code.ts';
import type { Store } from '../store.ts';
import type { SessionClient } from './session.sql.ts';

export interface NewClientSession {
  readonly grantId: string;
  /** Where somebody has decided. */
  readonly decidedIn: string;
  readonly accountId: number;
  readonly handle: string;
  readonly client: SessionClient;
  /** What its tokens are for. */
  readonly resource: string;
  readonly expiresAt: number;
  readonly origin: Origin;
}

export async function beginClientSession(store: Store, session: NewClientSession): Promise<void> {
  const { grantId: id, decidedIn, accountId, handle, client, resource, expiresAt, origin } = session;
  const audit = auditedBy(`user:${handle}`, origin, {
    action: 'auth.authorizeClient',
    target: `user:${handle}`,
    details: { clientId: client.id, clientName: client.name, resource },
    places: [{ accountId }],
  });
  const begun = { address: origin.address, createdAt: Date.now(), expiresAt, restsOn: { sessionId: decidedIn } };
  await store.write('createSession', { id, accountId, client, ...begun }, audit);
  // A client that registered itself stays for as long as somebody trusts it.
  await store.write('extendOauthItem', { kind: 'Client', idHash: hashCode(client.id), expiresAt });
}
