import { expect, it } from 'vitest';
import { ORGANIZATION_ROLE_NAMES, roleInRepositories } from './role.ts';

it('each role of an organization is one in its repositories', () => {
  expect(ORGANIZATION_ROLE_NAMES.map(roleInRepositories)).toEqual(['read', 'write', 'admin', 'admin']);
});
