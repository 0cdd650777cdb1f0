// Organizations on the wire.
import { z } from 'zod';
import { AUDIT_ACTIONS, type AuditAction } from './audit-action.ts';
import { EMAIL, EMAIL_CHARACTERS_MAX, ORGANIZATION_NAME, PLAIN_LINE, REPOSITORY_NAME } from './names.ts';
import { pageInput, pageOf } from './page.ts';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
  SCOPE_NAMES,
} from './scopes.ts';

export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(PLAIN_LINE, 'contains a control character or an unpaired surrogate');

/** Several lines. Some stores cannot hold other control characters, which would also reach readers' terminals. */
export const description = z
  .string()
  .max(2_000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'contains a control character or an unpaired surrogate');

export const organizationName = z
  .string()
  .regex(ORGANIZATION_NAME, 'expected an organization name: 1 to 39 of a-z, 0-9 and -, no - at either end');

export const orgAddress = { orgName: organizationName };

export const organization = z.object({
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  archived: z.boolean().describe('True if the organization and its repositories take no writes.'),
  createdAt: z.int(),
});

/** An organization. */
export type Organization = z.infer<typeof organization>;

export const organizationList = z.strictObject(pageInput).prefault({});
export const organizationPage = pageOf(organization);

export const organizationCreation = z.strictObject({
  name: organizationName,
  displayName: displayName.optional().describe('By default the same as the name.'),
  description: description.default(''),
});

export const organizationUpdate = z.strictObject({
  ...orgAddress,
  displayName: displayName.optional(),
  description: description.optional(),
});

export const organizationRename = z.strictObject({ ...orgAddress, newName: organizationName });

const action = z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]);

const auditItem = z.object({
  at: z.int(),
  action,
  actor: z
    .string()
    .describe('`user:HANDLE`, `token:HANDLE/NAME`, `component:ORG/NAME`, `operator`, `server`, or `anonymous`.'),
  target: z.string().describe('The affected resource, by its name at that time.'),
  details: z.record(z.string(), z.unknown()),
  address: z.string().optional().describe('The address that sent the request.'),
  requestId: z.string().optional(),
});

/** An entry of the audit log: an actor, an action and a time. */
export type AuditItem = z.infer<typeof auditItem>;

export const auditList = z.strictObject({ ...orgAddress, action: action.optional(), ...pageInput });
export const auditPage = pageOf(auditItem);

// Repositories on the wire.

export const repositoryName = z
  .string()
  .regex(REPOSITORY_NAME, 'expected a repository name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -, no dot at the start');

export const repoAddress = { ...orgAddress, repoName: repositoryName };

export const visibility = z.enum(['public', 'private']);

export const repository = z.object({
  orgName: z.string(),
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  visibility,
  archived: z.boolean().describe('True if it takes no writes, because it or its organization is archived.'),
  repoSeq: z.int(),
  createdAt: z.int(),
  lastCommitAt: z
    .int()
    .optional()
    .describe(
      'Time of the last commit; only in lists. Absent without commits, and for callers who can read only a part.',
    ),
  features: z.object({ streamSubmissions: z.boolean() }),
  importing: z.literal(true).optional().describe('During an import: it reads as empty, and takes no writes.'),
  importedRepoSeq: z
    .int()
    .optional()
    .describe('Last imported sequence of a copy. Only the original has earlier states.'),
  deletedAt: z.int().optional().describe('Only in lists of deleted repositories.'),
});

/** A repository. */
export type Repository = z.infer<typeof repository>;

export const repositoryList = z
  .strictObject({
    orgName: organizationName.optional().describe('Only the repositories of this organization.'),
    deleted: z.boolean().default(false).describe('Lists deleted repositories that can be restored, instead.'),
    ...pageInput,
  })
  .prefault({});
export const repositoryPage = pageOf(repository);

export const repositoryCreation = z.strictObject({
  ...orgAddress,
  name: repositoryName,
  visibility: visibility.default('private'),
  displayName: displayName.optional().describe('By default the same as the name.'),
  description: description.default(''),
});

export const repositoryUpdate = z.strictObject({
  ...repoAddress,
  displayName: displayName.optional(),
  description: description.optional(),
});

export const repositoryRename = z.strictObject({ ...repoAddress, newName: repositoryName });
export const repositoryVisibility = z.strictObject({ ...repoAddress, visibility });
export const repositoryTransfer = z.strictObject({ ...repoAddress, newOrgName: organizationName });

export const repositoryConfiguration = z.strictObject({
  ...repoAddress,
  features: z.strictObject({
    streamSubmissions: z.boolean().optional().describe('True if the repository takes streaming submissions.'),
  }),
});

export const repositoryDeletion = z.object({
  orgName: z.string(),
  name: z.string(),
  deletedAt: z.int(),
  finalAt: z.int().describe('Until this time `repo.restore` can restore it, and its name stays taken.'),
});

/** A deleted repository, and the time until which it can be restored. */
export type RepositoryDeletion = z.infer<typeof repositoryDeletion>;

// Members of organizations, roles in single repositories, and invitations to both.

const organizationRole = z.enum(Object.keys(ORGANIZATION_ROLES) as [OrganizationRole, ...OrganizationRole[]]);
const repositoryRole = z.enum(Object.keys(REPOSITORY_ROLES) as [RepositoryRole, ...RepositoryRole[]]);

/** The recipient of a role: an account, or the holder of an email address. */
export type Person = { readonly handle: string } | { readonly email: string };

const person = {
  // A handle is also the name of a personal organization, so it follows the same rules.
  handle: z
    .string()
    .regex(ORGANIZATION_NAME, 'expected a handle: 1 to 39 of a-z, 0-9 and -')
    .optional()
    .describe('The handle of an account.'),
  email: z
    .string()
    .trim()
    .toLowerCase()
    .max(EMAIL_CHARACTERS_MAX)
    .regex(EMAIL, 'expected an email address')
    .optional()
    .describe('Instead of the handle: the verified email of an account, or the address to invite.'),
};
const ONE_PERSON = 'give either handle or email';

function namesOnePerson({ handle, email }: { handle?: string | undefined; email?: string | undefined }): boolean {
  return (handle === undefined) !== (email === undefined);
}

const holder = {
  handle: z.string().optional().describe('Absent for a pending invitation.'),
  pending: z.boolean().describe('True for an invitation that was not accepted yet.'),
  email: z.string().optional().describe('Only for a pending invitation.'),
  expiresAt: z.int().optional().describe('Only for a pending invitation.'),
};
const link = {
  link: z.string().optional().describe('For the invited person. It works once, and is shown only once.'),
  mailed: z
    .boolean()
    .optional()
    .describe('With a link: true if the server also mails it to the invited person. If false, only you have it.'),
};

export const member = z.object({ ...holder, role: organizationRole, createdAt: z.int() });
/** A member of an organization, or an invited person. */
export type Member = z.infer<typeof member>;
export const memberResult = member.extend(link);
/** A member, and for an invitation the link to send. */
export type MemberResult = z.infer<typeof memberResult>;

export const memberList = z.strictObject({ ...orgAddress, ...pageInput });
export const memberPage = pageOf(member);
export const memberRoleInput = z
  .strictObject({ ...orgAddress, ...person, role: organizationRole })
  .refine(namesOnePerson, ONE_PERSON);
export const memberInput = z.strictObject({ ...orgAddress, ...person }).refine(namesOnePerson, ONE_PERSON);

const repositoryRoleHolder = z.object({ ...holder, role: repositoryRole, createdAt: z.int() });
/** An account with its own role in a repository. */
export type RepositoryRoleHolder = z.infer<typeof repositoryRoleHolder>;

export const repositoryRoleList = z.strictObject({ ...repoAddress, ...pageInput });
export const repositoryRolePage = pageOf(repositoryRoleHolder);
export const repositoryRoleInput = z
  .strictObject({
    ...repoAddress,
    ...person,
    role: repositoryRole.nullable().describe('null removes the role, so that the organization role applies again.'),
  })
  .refine(namesOnePerson, ONE_PERSON);
export const repositoryRoleResult = z.object({ ...holder, role: repositoryRole.nullable(), ...link });
/** The current holder of a role, and for an invitation the link to send. */
export type RepositoryRoleResult = z.infer<typeof repositoryRoleResult>;

const permission = z.enum(SCOPE_NAMES as [(typeof SCOPE_NAMES)[number], ...typeof SCOPE_NAMES]);
export const repositoryPermission = z.strictObject({ ...repoAddress, permission });
export const organizationPermission = z.strictObject({ ...orgAddress, permission });
export const permissionAnswer = z.object({
  allowed: z.boolean(),
  byRole: z.boolean().describe('True if the role of the account gives it, or the repository is public.'),
  byToken: z.boolean().describe('True if the token allows it. A session allows everything that the role gives.'),
  narrowed: z.literal(true).optional().describe('repo:read covers only some records.'),
});
/** A decision whether the caller may do something, with its reason. */
export type PermissionAnswer = z.infer<typeof permissionAnswer>;
