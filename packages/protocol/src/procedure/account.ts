import { z } from 'zod';
import * as account from '../account.ts';
import * as organizations from '../organization.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';

export const ACCOUNT_PROCEDURES = {
  'auth.whoami': {
    summary: 'Returns the identity of the caller and the permissions of the token.',
    ...signature(ACCESS.nothing, z.strictObject({}).optional(), account.whoami),
  },
  'auth.listSessions': {
    summary: 'Lists the active sessions of the account, newest first: browsers and connected clients.',
    ...signature(ACCESS.session, account.sessionList, account.sessionPage),
  },
  'auth.endSession': {
    summary: 'Ends one session of the account, at once: its cookie, its JWTs and its refresh tokens.',
    ...signature(ACCESS.session, account.sessionAddress, account.sessionRecord),
  },
  'auth.endAllSessions': {
    summary: 'Signs out everywhere: ends all sessions of the account, including this one. Tokens stay valid.',
    ...signature(ACCESS.session, account.sessionsEnd, account.sessionsEnded),
  },
  'access.checkRepoPermission': {
    summary: 'Checks whether the caller has a permission in a repository, by role and by token.',
    ...signature(ACCESS.sight, organizations.repositoryPermission, organizations.permissionAnswer),
  },
  'access.checkOrgPermission': {
    summary: 'Checks whether the caller has a permission in an organization, by role and by token.',
    ...signature(ACCESS.sight, organizations.organizationPermission, organizations.permissionAnswer),
  },
} as const satisfies Record<string, ProcedureRow>;

export const TOKEN_PROCEDURES = {
  'token.list': {
    summary:
      'Lists the tokens that the caller manages, by name: for a session all tokens of its account, for a token its descendants.',
    ...signature(ACCESS.account, account.tokenList, account.tokenPage),
  },
  'token.get': {
    summary: 'Gets a token that the caller manages.',
    ...signature(ACCESS.account, account.tokenAddress, account.tokenRecord),
  },
  'token.create': {
    summary:
      'Creates a token, and shows its value once. A token created with a token has at most the rights and the lifetime of that token.',
    ...signature(ACCESS.account, account.tokenCreation, account.mintedToken),
  },
  'token.rotate': {
    summary: 'Replaces the value of a token. The old value stays valid for up to 24 hours.',
    ...signature(ACCESS.account, account.tokenRotation, account.rotatedToken),
  },
  'token.revoke': {
    summary: 'Revokes a token and all its descendants at once.',
    ...signature(ACCESS.account, account.tokenAddress, account.tokenRecord),
  },
  'diagnostics.capabilities': {
    summary: 'Returns the version, engine, formats and limits of the server.',
    ...signature(ACCESS.lists, z.strictObject({}).optional(), account.capabilities),
  },
} as const satisfies Record<string, ProcedureRow>;

export const ORG_PROCEDURES = {
  'org.get': {
    summary: 'Gets an organization, as far as the caller may see it.',
    ...signature(ACCESS.profile, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.list': {
    summary: 'Lists the organizations that the caller may see, by name.',
    ...signature(ACCESS.lists, organizations.organizationList, organizations.organizationPage),
  },
  'org.create': {
    summary:
      'Creates an organization. Needs `org:admin`, and an operator of the server unless `CAIRN_ORG_CREATION` is `open`.',
    ...signature(ACCESS.operator, organizations.organizationCreation, organizations.organization),
  },
  'org.update': {
    summary: 'Changes the display name or description of an organization. Needs `org:configure`.',
    ...signature(ACCESS.organize, organizations.organizationUpdate, organizations.organization),
  },
  'org.rename': {
    summary: 'Renames an organization. The old name stays reserved for 90 days. Needs `org:admin`.',
    ...signature(ACCESS.own, organizations.organizationRename, organizations.organization),
  },
  'org.archive': {
    summary: 'Archives an organization: it and its repositories take no more writes. Needs `org:admin`.',
    ...signature(ACCESS.own, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.unarchive': {
    summary: 'Undoes `org.archive`. Needs `org:admin`.',
    ...signature(ACCESS.own, z.strictObject(organizations.orgAddress), organizations.organization),
  },
  'org.listMembers': {
    summary:
      'Lists the members of an organization, by handle. Callers with `org:configure` then see the pending invitations, by email. Needs `org:read`.',
    ...signature(ACCESS.members, organizations.memberList, organizations.memberPage),
  },
  'org.addMember': {
    summary:
      'Adds an account as a member, or invites an email address for 14 days. Needs `org:configure`; for an owner, `org:admin`.',
    ...signature(ACCESS.organize, organizations.memberRoleInput, organizations.memberResult),
  },
  'org.removeMember': {
    summary:
      'Removes a member and their roles in the repositories of the organization, or cancels an invitation. Needs `org:configure`; for an owner, `org:admin`.',
    ...signature(ACCESS.organize, organizations.memberInput, organizations.member),
  },
  'org.setMemberRole': {
    summary:
      'Changes the role of a member or of a pending invitation, which then gets a new link. Needs `org:configure`; to or from owner, `org:admin`.',
    ...signature(ACCESS.organize, organizations.memberRoleInput, organizations.memberResult),
  },
} as const satisfies Record<string, ProcedureRow>;

export const AUDIT_PROCEDURES = {
  'audit.list': {
    summary: 'Lists the audit log of an organization, newest first. Needs `org:configure`.',
    ...signature(ACCESS.organize, organizations.auditList, organizations.auditPage),
  },
} as const satisfies Record<string, ProcedureRow>;
