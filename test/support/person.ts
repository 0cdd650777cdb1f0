// Accounts with a password, made without the cost of one. A hash as the server makes it takes a quarter of a second of a
// processor, and as much again at each sign-in; few tests are about that. A hash says its own cost, so this one, which
// guards nothing, is checked by the same code at once.
import { argon2Sync } from 'node:crypto';
import { auditedByOperator } from '../../packages/server/src/access/audit.ts';
import type { Account } from '../../packages/server/src/account/account.sql.ts';
import { COST } from '../../packages/server/src/account/password-hash.ts';
import type { Store } from '../../packages/server/src/store.ts';

const CHEAP = { memory: 8, passes: 1, parallelism: 1 };
// For the passwords that people choose in a test, too. What a hash costs is tested in password.test.ts.
Object.assign(COST, CHEAP);

const NONCE = Buffer.from('no secret of it.');

/** What `verifyPassword` takes this password for. */
export function cheapHash(password: string): string {
  const tag = argon2Sync('argon2id', { message: password, nonce: NONCE, tagLength: 32, ...CHEAP });
  const [salt, hash] = [NONCE, tag].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

interface PersonForm {
  readonly email: string;
  readonly password: string;
  /** The handle; by default the beginning of the address. */
  readonly name?: string;
  readonly operator: boolean;
}

/** As an operator makes accounts: it leaves the same rows. */
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
