import { expect, it } from 'vitest';
import {
  afterTakingAway,
  isLessThan,
  ORGANIZATION_ROLE_NAMES,
  REPOSITORY_ROLE_NAMES,
  roleInRepositories,
} from './role.ts';

it('each role of an organization is one in its repositories', () => {
  expect(ORGANIZATION_ROLE_NAMES.map(roleInRepositories)).toEqual(['read', 'write', 'admin', 'admin']);
});

it('a role is less than those that give something more', () => {
  expect(REPOSITORY_ROLE_NAMES.map((role) => isLessThan(role, 'write'))).toEqual([true, false, false, false]);
});

it('without a role of their own, people have what the organization gives them', () => {
  const bob = { orgName: 'acme', name: 'bob', memberRole: 'editor' } as const;
  expect(REPOSITORY_ROLE_NAMES.map((role) => afterTakingAway({ ...bob, role }))).toEqual(
    ['more than', 'the same as', 'less than', 'less than'].map((amount) =>
      expect.stringContaining(`bob gets the role write here, which allows ${amount} now.`),
    ),
  );
  expect(afterTakingAway({ ...bob, role: 'read', memberRole: undefined })).toContain('bob is not a member of acme');
});
