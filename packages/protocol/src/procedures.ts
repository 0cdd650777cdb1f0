// The procedure table: what each takes and answers. The router, the SDK's types, the reference pages and the MCP
// tools are all made from it.
import { z } from 'zod';
import { ACCESS, type Access } from './access.ts';
import { auditList, auditPage } from './audit.ts';
import { commitInput, commitRecord, commitResult, operationResult, submissionId } from './commit.ts';
import {
  contentChange,
  contentInput,
  repositoryContent,
  repositoryDescription,
  repositoryReadInput,
  repositoryStats,
} from './description.ts';
import {
  member,
  memberInput,
  memberList,
  memberPage,
  memberResult,
  memberRoleInput,
  organizationPermission,
  permissionAnswer,
  repositoryPermission,
  repositoryRoleInput,
  repositoryRoleList,
  repositoryRolePage,
  repositoryRoleResult,
} from './member.ts';
import {
  orgAddress,
  organization,
  organizationCreation,
  organizationList,
  organizationPage,
  organizationRename,
  organizationUpdate,
} from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { PROCEDURE_KINDS, type ProcedureName } from './procedure-kinds.ts';
import {
  aboutInput,
  atSequence,
  changesInput,
  changesPage,
  countInput,
  diffInput,
  graph,
  graphInput,
  headInput,
  queryInput,
  recordAnswer,
  recordCount,
  recordDiff,
  recordPage,
  refsInput,
  refsPage,
  retracted,
  searchInput,
  wref,
} from './read.ts';
import { recordItem } from './record.ts';
import {
  repoAddress,
  repository,
  repositoryConfiguration,
  repositoryCreation,
  repositoryDeletion,
  repositoryList,
  repositoryPage,
  repositoryRename,
  repositoryTransfer,
  repositoryUpdate,
  repositoryVisibility,
} from './repository.ts';
import { shapeInput, shapeItem } from './shape.ts';
import {
  mintedToken,
  rotatedToken,
  tokenAddress,
  tokenCreation,
  tokenList,
  tokenPage,
  tokenRecord,
  tokenRotation,
} from './token.ts';
import { whoami } from './whoami.ts';

const expectation = { expectedVersion: z.int().min(1).optional().describe('Refused when it is at another version.') };
const commitMessage = { message: commitInput.message };
// Counted before each is looked at; the server's own limit is a setting below it.
const WREFS_MAX = 10_000;

interface ProcedureRow {
  readonly summary: string;
  /** What operations ask for; a test tries every kind of caller against it. */
  readonly access: Access;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

export const capabilities = z.object({
  version: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  limits: z.record(z.string(), z.number()),
});

export type Capabilities = z.infer<typeof capabilities>;

export const PROCEDURES = {
  'auth.whoami': {
    summary: 'Who the caller is, and what the token may do.',
    access: ACCESS.nothing,
    input: z.strictObject({}).optional(),
    output: whoami,
  },
  'access.checkRepoPermission': {
    summary: 'Whether the caller may do something in a repository, and what gives it.',
    access: ACCESS.sight,
    input: repositoryPermission,
    output: permissionAnswer,
  },
  'access.checkOrgPermission': {
    summary: 'Whether the caller may do something in an organization, and what gives it.',
    access: ACCESS.sight,
    input: organizationPermission,
    output: permissionAnswer,
  },
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
  'repo.get': {
    summary: 'One repository, as far as the caller may see it.',
    access: ACCESS.read,
    input: z.strictObject(repoAddress),
    output: repository,
  },
  'repo.list': {
    summary: 'The repositories that the caller may see, by organization and name.',
    access: ACCESS.lists,
    input: repositoryList,
    output: repositoryPage,
  },
  'repo.create': {
    summary: 'Creates a repository. Needs `org:configure` on the organization.',
    access: ACCESS.organize,
    input: repositoryCreation,
    output: repository,
  },
  'repo.update': {
    summary: 'Changes what is said about a repository. Needs `repo:configure`.',
    access: ACCESS.configure,
    input: repositoryUpdate,
    output: repository,
  },
  'repo.rename': {
    summary: 'Renames a repository; the old name is free at once. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: repositoryRename,
    output: repository,
  },
  'repo.setVisibility': {
    summary: 'Opens a repository to everyone, or closes it. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: repositoryVisibility,
    output: repository,
  },
  'repo.archive': {
    summary: 'Makes a repository take no more writes. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: z.strictObject(repoAddress),
    output: repository,
  },
  'repo.unarchive': {
    summary: 'Undoes `repo.archive`. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: z.strictObject(repoAddress),
    output: repository,
  },
  'repo.delete': {
    summary: 'Deletes a repository; for 30 days it can be restored. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: z.strictObject(repoAddress),
    output: repositoryDeletion,
  },
  'repo.restore': {
    summary: 'Brings a deleted repository back. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: z.strictObject(repoAddress),
    output: repository,
  },
  'repo.transfer': {
    summary:
      'Moves a repository to another organization. Needs `repo:admin`, and `org:configure` on the new organization.',
    access: { ...ACCESS.admin, also: 'org:configure' },
    input: repositoryTransfer,
    output: repository,
  },
  'repo.configure': {
    summary: 'Turns features of a repository on or off. Needs `repo:configure`.',
    access: ACCESS.configure,
    input: repositoryConfiguration,
    output: repository,
  },
  'repo.listRoles': {
    summary:
      'Who has a role of their own in a repository, by handle; then the pending invitations, by email. Needs `repo:admin`.',
    access: ACCESS.admin,
    input: repositoryRoleList,
    output: repositoryRolePage,
  },
  'repo.setRole': {
    summary:
      "Gives an account a role in one repository, in place of its organization role's, or invites an email address to it. Needs `repo:admin`.",
    access: ACCESS.admin,
    input: repositoryRoleInput,
    output: repositoryRoleResult,
  },
  'repo.stats': {
    summary: 'How much a repository holds, by kind and shape. Needs `repo:read`.',
    access: ACCESS.read,
    input: repositoryReadInput,
    output: repositoryStats,
  },
  'repo.describe': {
    summary: 'What a repository is: its shapes with their fields, and how many records each has. Needs `repo:read`.',
    access: ACCESS.read,
    input: repositoryReadInput,
    output: repositoryDescription,
  },
  'repo.getContent': {
    summary: 'The readme of a repository, or its text for agents. Needs `repo:read`.',
    access: ACCESS.read,
    input: contentInput,
    output: repositoryContent,
  },
  'repo.setContent': {
    summary: 'Writes the readme of a repository, or its text for agents, by a commit. Needs `repo:write`.',
    access: ACCESS.write,
    input: contentChange,
    output: repositoryContent,
  },
  'shape.list': {
    summary: 'The shapes of a repository, by name; the active ones, unless told otherwise. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, ...atSequence, ...retracted, ...pageInput }),
    output: pageOf(recordItem),
  },
  'shape.get': {
    summary: 'One shape, with the state of its indexes. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, name: z.string(), ...atSequence, ...retracted }),
    output: shapeItem,
  },
  'shape.history': {
    summary: 'The versions of a shape, newest first. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, name: z.string(), ...atSequence, ...pageInput }),
    output: pageOf(recordItem),
  },
  'shape.create': {
    summary: 'Creates a shape, by a commit of one operation. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, ...shapeInput, ...commitMessage }),
    output: shapeItem,
  },
  'shape.revise': {
    summary: 'Gives a shape a new version: the whole field set. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, ...shapeInput, ...expectation, ...commitMessage }),
    output: shapeItem,
  },
  'shape.retract': {
    summary: 'Retracts a shape; its records stay. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({
      ...repoAddress,
      name: z.string(),
      reason: z.string().optional(),
      ...expectation,
      ...commitMessage,
    }),
    output: shapeItem,
  },
  'shape.rename': {
    summary: 'Renames a shape; its records follow, and the old name is free at once. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, name: z.string(), newName: z.string(), ...expectation, ...commitMessage }),
    output: shapeItem,
  },
  'thing.head': {
    summary: 'The head snapshot: active records at their current version, filtered. Needs `repo:read`.',
    access: ACCESS.read,
    input: headInput,
    output: recordAnswer,
  },
  'thing.get': {
    summary: 'One record by its wref, as it is or as it was. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, wref, ...atSequence, ...retracted }),
    output: recordItem,
  },
  'thing.getMany': {
    summary: 'Many records by their wrefs, at one sequence; null where there is none. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({
      ...repoAddress,
      wrefs: z.array(z.unknown()).min(1).max(WREFS_MAX).pipe(z.array(wref)),
      ...atSequence,
      ...retracted,
    }),
    output: z.object({ repoSeq: z.int(), items: z.array(recordItem.nullable()) }),
  },
  'thing.history': {
    summary: 'The versions of a record, newest first. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, wref, ...atSequence, ...pageInput }),
    output: pageOf(recordItem),
  },
  'thing.query': {
    summary: 'Records that a filter lets through: by fields, by what they are about, by words. Needs `repo:read`.',
    access: ACCESS.read,
    input: queryInput,
    output: recordAnswer,
  },
  'thing.about': {
    summary: 'Assertions about a record. Needs `repo:read`.',
    access: ACCESS.read,
    input: aboutInput,
    output: recordAnswer,
  },
  'thing.refs': {
    summary: 'What a record refers to, and what refers to it. Needs `repo:read`.',
    access: ACCESS.read,
    input: refsInput,
    output: refsPage,
  },
  'thing.graph': {
    summary: 'The records around a record, by references both ways. Needs `repo:read`.',
    access: ACCESS.read,
    input: graphInput,
    output: graph,
  },
  'thing.search': {
    summary: 'Records that hold all the words, those with the words in their name first. Needs `repo:read`.',
    access: ACCESS.read,
    input: searchInput,
    output: recordPage,
  },
  'thing.count': {
    summary: 'How many records a filter lets through. Needs `repo:read`.',
    access: ACCESS.read,
    input: countInput,
    output: recordCount,
  },
  'thing.changes': {
    summary: 'Which records changed between two sequences, and how. Needs `repo:read`.',
    access: ACCESS.read,
    input: changesInput,
    output: changesPage,
  },
  'thing.diff': {
    summary: 'What changed in the data of one record between two sequences. Needs `repo:read`.',
    access: ACCESS.read,
    input: diffInput,
    output: recordDiff,
  },
  'thing.rename': {
    summary: 'Renames a thing, an assertion or a collection; the old name is free at once. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, name: z.string(), newName: z.string(), ...expectation, ...commitMessage }),
    output: recordItem,
  },
  'commit.submit': {
    summary: 'Writes operations: all or none, in one commit. Needs `repo:write`.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, ...commitInput }),
    output: commitResult,
  },
  'commit.validate': {
    summary:
      'What `commit.submit` would answer; writes nothing. Needs `repo:write`, or `repo:read` by more than the repository being public.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, ...commitInput }),
    output: commitResult,
  },
  'commit.get': {
    summary: 'One commit with its operations. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, repoSeq: z.int().min(1) }),
    output: commitRecord.extend({ operations: z.array(operationResult) }),
  },
  'commit.log': {
    summary: 'Commits, newest first. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, ...pageInput }),
    output: pageOf(commitRecord),
  },
  'commit.receipt': {
    summary: 'What a commit of yours with this submission id was answered. Needs `repo:write`.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, submissionId }),
    output: commitResult,
  },
  'audit.list': {
    summary: 'Who did what that decides over access to an organization, newest first. Needs `org:configure`.',
    access: ACCESS.organize,
    input: auditList,
    output: auditPage,
  },
  'token.list': {
    summary:
      'The tokens that the caller manages, by name: a session all of its account, a token those that descend from it.',
    access: ACCESS.account,
    input: tokenList,
    output: tokenPage,
  },
  'token.get': {
    summary: 'One token that the caller manages.',
    access: ACCESS.account,
    input: tokenAddress,
    output: tokenRecord,
  },
  'token.create': {
    summary: 'Makes a token, and shows its value once. What a token makes may do no more than itself, and no longer.',
    access: ACCESS.account,
    input: tokenCreation,
    output: mintedToken,
  },
  'token.rotate': {
    summary: 'Gives a token another value; the one of before is taken for up to 24 hours more.',
    access: ACCESS.account,
    input: tokenRotation,
    output: rotatedToken,
  },
  'token.revoke': {
    summary: 'Ends a token and all that descend from it, at once.',
    access: ACCESS.account,
    input: tokenAddress,
    output: tokenRecord,
  },
  'diagnostics.capabilities': {
    summary: 'What this server is: version, engine, formats, limits.',
    access: ACCESS.lists,
    input: z.strictObject({}).optional(),
    output: capabilities,
  },
} as const satisfies Record<ProcedureName, ProcedureRow>;

/** What a caller sends. */
export type ProcedureInput<Name extends ProcedureName> = z.input<(typeof PROCEDURES)[Name]['input']>;
/** What an operation is given: the input with its defaults filled in. */
export type ProcedureArguments<Name extends ProcedureName> = z.output<(typeof PROCEDURES)[Name]['input']>;
export type ProcedureOutput<Name extends ProcedureName> = z.output<(typeof PROCEDURES)[Name]['output']>;

export const PROCEDURE_NAMES = Object.keys(PROCEDURE_KINDS) as ProcedureName[];
