import { expect, it } from 'vitest';
import { isLessThan, ORGANIZATION_ROLE_NAMES, REPOSITORY_ROLE_NAMES, roleInRepositories } from './role.ts';

it('each role of an organization is one in its repositories', () => {
  expect(ORGANIZATION_ROLE_NAMES.map(roleInRepositories)).toEqual(['read', 'write', 'admin', 'admin']);
});

it('a role is less than those that give something more', () => {
  expect(REPOSITORY_ROLE_NAMES.map((role) => isLessThan(role, 'write'))).toEqual([true, false, false, false]);
});
