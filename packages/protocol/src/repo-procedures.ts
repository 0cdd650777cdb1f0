// Procedures on repositories.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import {
  contentChange,
  contentInput,
  repositoryContent,
  repositoryDescription,
  repositoryReadInput,
  repositoryStats,
} from './description.ts';
import { repositoryRoleInput, repositoryRoleList, repositoryRolePage, repositoryRoleResult } from './member.ts';
import type { ProcedureRow } from './procedure-row.ts';
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

export const REPO_PROCEDURES = {
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
    summary: 'Opens a repository to everyone, or closes it. Needs `repo:admin`, and `repo:read` of all of it.',
    access: ACCESS.publish,
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
} as const satisfies Record<string, ProcedureRow>;
