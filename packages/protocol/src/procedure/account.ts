import { z } from 'zod';
import * as account from '../account.ts';
import * as organizations from '../organization.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';

export const ACCOUNT_PROCEDURES = {
  'auth.whoami': {
    summary: 'Who the caller is, and what the token may do.',
    ...signature(ACCESS.nothing, z.strictObject({}).optional(), account.whoami),
  },
  'auth.listSessions': {
    summary:
      'The sessions of the account that have not ended, the newest first: browsers, and clients that were let in.',
    ...signature(ACCESS.session, account.sessionList, account.sessionPage),
  },
  'auth.endSession': {
    summary: 'Ends one session of the account, at once: its cookie, its JWTs and its refresh tokens.',
    ...signature(ACCESS.session, account.sessionAddress, account.sessionRecord),
  },
  'auth.endAllSessions': {
    summary: 'Signs out everywhere: ends all sessions of the account, this one too. Tokens stay.',
    ...signature(ACCESS.session, account.sessionsEnd, account.sessionsEnded),
  },
  'access.checkRepoPermission': {
    summary: 'Whether the caller may do something in a repository, and what gives it.',
    ...signature(ACCESS.sight, organizations.repositoryPermission, organizations.permissionAnswer),
  },
  'access.checkOrgPermission': {
    summary: 'Whether the caller may do something in an organization, and what gives it.',
    ...signature(ACCESS.sight, organizations.organizationPermission, organizations.permissionAnswer),
  },
} as const satisfies Record<string, ProcedureRow>;

export const TOKEN_PROCEDURES = {
  'token.list': {
    summary:
      'The tokens that the caller manages, by name: a session all of its account, a token those that descend from it.',
    ...signature(ACCESS.account, account.tokenList, account.tokenPage),
  },
  'token.get': {
    summary: 'One token that the caller manages.',
    ...signature(ACCESS.account, account.tokenAddress, account.tokenRecord),
  },
  'token.create': {
    summary: 'Makes a token, and shows its value once. What a token makes may do no more than itself, and no longer.',
    ...signature(ACCESS.account, account.tokenCreation, account.mintedToken),
  },
  'token.rotate': {
    summary: 'Gives a token another value; the one of before is taken for up to 24 hours more.',
    ...signature(ACCESS.account, account.tokenRotation, account.rotatedToken),
  },
  'token.revoke': {
    summary: 'Ends a token and all that descend from it, at once.',
    ...signature(ACCESS.account, account.tokenAddress, account.tokenRecord),
  },
  'diagnostics.capabilities': {
    summary: 'What this server is: version, engine, formats, limits.',
    ...signature(ACCESS.lists, z.strictObject({}).optional(), account.capabilities),
  },
} as const satisfies Record<string, ProcedureRow>;

export const ORG_PROCEDURES = {
  'org.get': {
    summary: 'One organization, as far as the caller may see it.',
    ...signature(ACCESS.profile, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.list': {
    summary: 'The organizations that the caller may see, by name.',
    ...signature(ACCESS.lists, organizations.organizationList, organizations.organizationPage),
  },
  'org.create': {
    summary:
      'Creates an organization. Needs an operator of the server (or a server where everyone may), with `org:admin`.',
    ...signature(ACCESS.operator, organizations.organizationCreation, organizations.organization),
  },
  'org.update': {
    summary: 'Changes what is said about an organization. Needs `org:configure`.',
    ...signature(ACCESS.organize, organizations.organizationUpdate, organizations.organization),
  },
  'org.rename': {
    summary: 'Renames an organization; nobody else can have the old name for 90 days. Needs `org:admin`.',
    ...signature(ACCESS.own, organizations.organizationRename, organizations.organization),
  },
  'org.archive': {
    summary: 'Makes an organization and its repositories take no more writes. Needs `org:admin`.',
    ...signature(ACCESS.own, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.unarchive': {
    summary: 'Undoes `org.archive`. Needs `org:admin`.',
    ...signature(ACCESS.own, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.listMembers': {
    summary:
      'The members of an organization, by handle; then, for who holds `org:configure`, the pending invitations, by email. Needs `org:read`.',
    ...signature(ACCESS.members, organizations.memberList, organizations.memberPage),
  },
  'org.addMember': {
    summary:
      'Makes an account a member, or invites an email address for 14 days. Needs `org:configure`; for an owner, `org:admin`.',
    ...signature(ACCESS.organize, organizations.memberRoleInput, organizations.memberResult),
  },
  'org.removeMember': {
    summary:
      'Ends a membership, and the roles in its repositories; or cancels an invitation. Needs `org:configure`; for an owner, `org:admin`.',
    ...signature(ACCESS.organize, organizations.memberInput, organizations.member),
  },
  'org.setMemberRole': {
    summary:
      "Changes a member's role, or that of a pending invitation, which then has a new link. Needs `org:configure`; to or from owner, `org:admin`.",
    ...signature(ACCESS.organize, organizations.memberRoleInput, organizations.memberResult),
  },
} as const satisfies Record<string, ProcedureRow>;

export const AUDIT_PROCEDURES = {
  'audit.list': {
    summary: 'Who did what that decides over access to an organization, newest first. Needs `org:configure`.',
    ...signature(ACCESS.organize, organizations.auditList, organizations.auditPage),
  },
} as const satisfies Record<string, ProcedureRow>;
