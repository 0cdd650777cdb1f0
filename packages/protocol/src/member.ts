// Members of organizations, and roles for single repositories, on the wire.
import { z } from 'zod';
import { orgAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { repoAddress } from './repository.ts';
import { ORGANIZATION_ROLES, type OrganizationRole, REPOSITORY_ROLES, type RepositoryRole } from './roles.ts';
import { SCOPE_NAMES } from './scopes.ts';

const organizationRole = z.enum(Object.keys(ORGANIZATION_ROLES) as [OrganizationRole, ...OrganizationRole[]]);
const repositoryRole = z.enum(Object.keys(REPOSITORY_ROLES) as [RepositoryRole, ...RepositoryRole[]]);
const handle = z.string().min(1).max(39).describe('The handle of an account.');

export const member = z.object({ handle: z.string(), role: organizationRole, createdAt: z.int() });
export type Member = z.infer<typeof member>;

export const memberList = z.strictObject({ ...orgAddress, ...pageInput });
export const memberPage = pageOf(member);
export const memberRoleInput = z.strictObject({ ...orgAddress, handle, role: organizationRole });
export const memberInput = z.strictObject({ ...orgAddress, handle });

export const repositoryRoleHolder = z.object({ handle: z.string(), role: repositoryRole, createdAt: z.int() });
export type RepositoryRoleHolder = z.infer<typeof repositoryRoleHolder>;

export const repositoryRoleList = z.strictObject({ ...repoAddress, ...pageInput });
export const repositoryRolePage = pageOf(repositoryRoleHolder);
export const repositoryRoleInput = z.strictObject({
  ...repoAddress,
  handle,
  role: repositoryRole.nullable().describe('null takes it away: what the organization role gives holds again.'),
});
export const repositoryRoleResult = z.object({ handle: z.string(), role: repositoryRole.nullable() });

const permission = z.enum(SCOPE_NAMES as [(typeof SCOPE_NAMES)[number], ...typeof SCOPE_NAMES]);
export const repositoryPermission = z.strictObject({ ...repoAddress, permission });
export const organizationPermission = z.strictObject({ ...orgAddress, permission });
export const permissionAnswer = z.object({
  allowed: z.boolean(),
  byRole: z.boolean().describe("Whether the account's role gives it, or the repository is public."),
  byToken: z.boolean().describe('Whether the token allows it; a session allows what the role does.'),
  narrowed: z.literal(true).optional().describe('repo:read is for some records only.'),
});
export type PermissionAnswer = z.infer<typeof permissionAnswer>;
