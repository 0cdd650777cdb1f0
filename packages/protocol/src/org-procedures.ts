// Procedures on organizations.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import { auditList, auditPage } from './audit.ts';
import { member, memberInput, memberList, memberPage, memberResult, memberRoleInput } from './member.ts';
import {
  orgAddress,
  organization,
  organizationCreation,
  organizationList,
  organizationPage,
  organizationRename,
  organizationUpdate,
} from './organization.ts';
import type { ProcedureRow } from './procedure-row.ts';

export const ORG_PROCEDURES = {
  'org.get': {
    summary: 'One organization, as far as the caller may see it.',
    access: ACCESS.profile,
    input: z.strictObject(orgAddress),
    output: organization,
  },
  'org.list': {
    summary: 'The organizations that the caller may see, by name.',
    access: ACCESS.lists,
    input: organizationList,
    output: organizationPage,
  },
  'org.create': {
    summary:
      'Creates an organization. Needs an operator of the server (or a server where everyone may), with `org:admin`.',
    access: ACCESS.operator,
    input: organizationCreation,
    output: organization,
  },
  'org.update': {
    summary: 'Changes what is said about an organization. Needs `org:configure`.',
    access: ACCESS.organize,
    input: organizationUpdate,
    output: organization,
  },
  'org.rename': {
    summary: 'Renames an organization; nobody else can have the old name for 90 days. Needs `org:admin`.',
    access: ACCESS.own,
    input: organizationRename,
    output: organization,
  },
  'org.archive': {
    summary: 'Makes an organization and its repositories take no more writes. Needs `org:admin`.',
    access: ACCESS.own,
    input: z.strictObject(orgAddress),
    output: organization,
  },
  'org.unarchive': {
    summary: 'Undoes `org.archive`. Needs `org:admin`.',
    access: ACCESS.own,
    input: z.strictObject(orgAddress),
    output: organization,
  },
  'org.listMembers': {
    summary:
      'The members of an organization, by handle; then, for who holds `org:configure`, the pending invitations, by email. Needs `org:read`.',
    access: ACCESS.members,
    input: memberList,
    output: memberPage,
  },
  'org.addMember': {
    summary:
      'Makes an account a member, or invites an email address for 14 days. Needs `org:configure`; for an owner, `org:admin`.',
    access: ACCESS.organize,
    input: memberRoleInput,
    output: memberResult,
  },
  'org.removeMember': {
    summary:
      'Ends a membership, and the roles in its repositories; or cancels an invitation. Needs `org:configure`; for an owner, `org:admin`.',
    access: ACCESS.organize,
    input: memberInput,
    output: member,
  },
  'org.setMemberRole': {
    summary:
      "Changes a member's role, or that of a pending invitation, which then has a new link. Needs `org:configure`; to or from owner, `org:admin`.",
    access: ACCESS.organize,
    input: memberRoleInput,
    output: memberResult,
  },
  'audit.list': {
    summary: 'Who did what that decides over access to an organization, newest first. Needs `org:configure`.',
    access: ACCESS.organize,
    input: auditList,
    output: auditPage,
  },
} as const satisfies Record<string, ProcedureRow>;
