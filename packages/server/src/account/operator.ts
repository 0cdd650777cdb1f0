import type { TokenRecord } from '@cairn/protocol/account';
import type { AuditAction } from '@cairn/protocol/audit-action';
import { fail } from '@cairn/protocol/errors';
import { auditedByOperator } from '../access/audit.ts';
import { listTokens } from '../access/token.sql.ts';
import { toRecord, toRecords } from '../access/token.ts';
import { hashCode, mintCode } from '../keys/secret.ts';
import type { Store } from '../store.ts';
import { type Credential, findCredential } from './account.sql.ts';
import { accountNotFound, checkEmail, checkNewPassword } from './account.ts';
import { hashPassword } from './password-hash.ts';

const RESET_MS = 86_400_000;
const TOKENS_MAX = 10_000;

export async function issueReset(
  store: Store,
  email: string,
): Promise<{ handle: string; code: string; expiresAt: number }> {
  const { accountId, handle } = await findActiveAccount(store, email);
  const code = mintCode();
  const expiresAt = Date.now() + RESET_MS;
  const audit = auditAccount(accountId, { handle, action: 'admin.resetPassword' });
  await store.write.issueResetCode({ accountId, codeHash: hashCode(code), expiresAt }, audit);
  return { handle, code, expiresAt };
}

export async function setPassword(
  store: Store,
  { email, newPassword }: { email: string; newPassword: string },
): Promise<{ handle: string }> {
  const { accountId, handle } = await findActiveAccount(store, email);
  checkNewPassword(newPassword);
  const audit = auditAccount(accountId, { handle, action: 'admin.resetPassword' });
  await store.write.setPassword({ accountId, passwordHash: await hashPassword(newPassword) }, audit);
  return { handle };
}

async function findActiveAccount(store: Store, email: string): Promise<Credential> {
  const found = await findAccount(store, email);
  if (!found.deactivated) return found;
  throw fail('CONFLICT', {
    message: `The account ${found.handle} is deactivated. Reactivate it first, with \`cairn admin reactivate-user\`.`,
    details: { reason: 'deactivated' },
  });
}

async function findAccount(store: Store, email: string): Promise<Credential> {
  const found = await findCredential(store.database, checkEmail(email));
  if (found === undefined) throw accountNotFound(email);
  return found;
}

export async function listTokensOf(store: Store, email: string): Promise<TokenRecord[]> {
  const { accountId } = await findAccount(store, email);
  const found = await listTokens(
    store.database,
    { accountId, ancestorId: undefined },
    { after: '', limit: TOKENS_MAX },
  );
  return await toRecords(store, accountId, found);
}

export async function revokeTokenOf(
  store: Store,
  { email, name }: { email: string; name: string },
): Promise<TokenRecord> {
  const { accountId, handle } = await findAccount(store, email);
  const management = { accountId, ancestorId: undefined };
  const audit = auditedByOperator({
    action: 'token.revoke',
    target: `token:${handle}/${name}`,
    places: [{ accountId }],
  });
  const revoked = await store.write.revokeToken({ management, name, now: Date.now() }, audit);
  return await toRecord(store, management, revoked);
}

export async function setAccountActive(
  store: Store,
  { email, active }: { email: string; active: boolean },
): Promise<{ handle: string }> {
  const { accountId, handle } = await findAccount(store, email);
  const audit = auditAccount(accountId, { handle, action: active ? 'admin.reactivateUser' : 'admin.deactivateUser' });
  await store.write.setAccountActive({ accountId, active, now: Date.now() }, audit);
  return { handle };
}

function auditAccount(accountId: number, { handle, action }: { handle: string; action: AuditAction }) {
  return auditedByOperator({ action, target: `user:${handle}`, places: [{ accountId }] });
}
