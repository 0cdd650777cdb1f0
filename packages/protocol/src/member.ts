// Members of organizations, roles for single repositories, and invitations to either, on the wire.
import { z } from 'zod';
import { EMAIL, EMAIL_CHARACTERS_MAX, ORGANIZATION_NAME } from './names.ts';
import { orgAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { repoAddress } from './repository.ts';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_NAMES,
} from './scopes.ts';

const organizationRole = z.enum(Object.keys(ORGANIZATION_ROLES) as [OrganizationRole, ...OrganizationRole[]]);
const repositoryRole = z.enum(Object.keys(REPOSITORY_ROLES) as [RepositoryRole, ...RepositoryRole[]]);

/** Who a role is for: an account, or whoever an email address belongs to. */
export type Person = { readonly handle: string } | { readonly email: string };

const person = {
  // A handle is also the name of a personal organization, and keeps its rules.
  handle: z
    .string()
    .regex(ORGANIZATION_NAME, 'a handle is 1 to 39 of a-z, 0-9 and -')
    .optional()
    .describe('The handle of an account.'),
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(EMAIL_CHARACTERS_MAX)
    .regex(EMAIL, 'not an email address')
    .optional()
    .describe('Instead of the handle: whose verified email it is, or else who is invited.'),
};
const ONE_PERSON = 'give exactly one of handle and email';

function namesOnePerson({ handle, email }: { handle?: string | undefined; email?: string | undefined }): boolean {
  return (handle === undefined) !== (email === undefined);
}

const holder = {
  handle: z.string().optional().describe('Absent where the invitation is not accepted yet.'),
  pending: z.boolean().describe('Whether it is an invitation that is not accepted yet.'),
  email: z.string().optional().describe('Of a pending invitation.'),
  expiresAt: z.int().optional().describe('Of a pending invitation.'),
};
const link = {
  link: z.string().optional().describe('To send to who is invited. It works once, and is shown only now.'),
  mailed: z
    .boolean()
    .optional()
    .describe('Of a link: whether the server mails it to who is invited, too. Otherwise nobody has it but you.'),
};

export const member = z.object({ ...holder, role: organizationRole, createdAt: z.int() });
/** A member of an organization, or somebody who is invited. */
export type Member = z.infer<typeof member>;
export const memberResult = member.extend(link);
/** A member, and the link to send to who is invited. */
export type MemberResult = z.infer<typeof memberResult>;

export const memberList = z.strictObject({ ...orgAddress, ...pageInput });
export const memberPage = pageOf(member);
export const memberRoleInput = z
  .strictObject({ ...orgAddress, ...person, role: organizationRole })
  .refine(namesOnePerson, ONE_PERSON);
export const memberInput = z.strictObject({ ...orgAddress, ...person }).refine(namesOnePerson, ONE_PERSON);

const repositoryRoleHolder = z.object({ ...holder, role: repositoryRole, createdAt: z.int() });
/** Somebody with a role of their own in a repository. */
export type RepositoryRoleHolder = z.infer<typeof repositoryRoleHolder>;

export const repositoryRoleList = z.strictObject({ ...repoAddress, ...pageInput });
export const repositoryRolePage = pageOf(repositoryRoleHolder);
export const repositoryRoleInput = z
  .strictObject({
    ...repoAddress,
    ...person,
    role: repositoryRole.nullable().describe('null takes it away: what the organization role gives holds again.'),
  })
  .refine(namesOnePerson, ONE_PERSON);
export const repositoryRoleResult = z.object({ ...holder, role: repositoryRole.nullable(), ...link });
/** Who has which role now, and the link to send to who is invited. */
export type RepositoryRoleResult = z.infer<typeof repositoryRoleResult>;

const permission = z.enum(SCOPE_NAMES as [(typeof SCOPE_NAMES)[number], ...typeof SCOPE_NAMES]);
export const repositoryPermission = z.strictObject({ ...repoAddress, permission });
export const organizationPermission = z.strictObject({ ...orgAddress, permission });
export const permissionAnswer = z.object({
  allowed: z.boolean(),
  byRole: z.boolean().describe("Whether the account's role gives it, or the repository is public."),
  byToken: z.boolean().describe('Whether the token allows it; a session allows what the role does.'),
  narrowed: z.literal(true).optional().describe('repo:read is for some records only.'),
});
/** Whether the caller may do something, and why. */
export type PermissionAnswer = z.infer<typeof permissionAnswer>;
