// Accounts with a cheap password hash. A real hash takes a quarter of a second of CPU time, and each sign-in takes as
// much again. A hash states its own cost, so the same code verifies this cheap one at once. It protects nothing.
import { argon2Sync } from 'node:crypto';
import { auditedByOperator } from '../../packages/server/src/access/audit.ts';
import type { Account } from '../../packages/server/src/account/account.sql.ts';
import { COST } from '../../packages/server/src/account/password-hash.ts';
import type { Store } from '../../packages/server/src/store.ts';

const CHEAP = { memory: 8, passes: 1, parallelism: 1 };
// Also applies to passwords that people choose in a test. password.test.ts covers the real cost.
Object.assign(COST, CHEAP);

const NONCE = Buffer.from('no secret of it.');

export function cheapHash(password: string): string {
  const tag = argon2Sync('argon2id', { message: password, nonce: NONCE, tagLength: 32, ...CHEAP });
  const [salt, hash] = [NONCE, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

interface PersonForm {
  readonly email: string;
  readonly password: string;
  readonly name?: string;
  readonly operator: boolean;
}

export async function createPerson(store: Store, { email, password, name, operator }: PersonForm): Promise<Account> {
  const handle = name ?? email.slice(0, email.indexOf('@'));
  const audit = auditedByOperator({
    action: 'admin.createUser',
    target: `user:${handle}`,
    details: { email, operator },
    places: [{ orgName: handle }],
  });
  return await store.write.createAccount({ email, handle, passwordHash: cheapHash(password), operator }, audit);
}
