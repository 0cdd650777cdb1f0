import { expect, it } from 'vitest';
import { hashPassword, verifyPassword } from './password.ts';

it('keeps passwords as argon2id, each with its own salt', async () => {
  const [first, second] = [await hashPassword('correct horse'), await hashPassword('correct horse')];
  expect(first).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword('correct horse', first)).toBe(true);
  expect(await verifyPassword('correct horse ', first)).toBe(false);
  expect(await verifyPassword('', first)).toBe(false);
});
