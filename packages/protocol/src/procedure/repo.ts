import { z } from 'zod';
import * as descriptions from '../description.ts';
import * as exporting from '../export.ts';
import * as repositories from '../organization.ts';
import { repositoryRoleInput, repositoryRoleList, repositoryRolePage, repositoryRoleResult } from '../organization.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';
import { liveTicket, streamAddress, streamStatus, streamStatusInput } from '../stream.ts';

export const REPO_PROCEDURES = {
  'repo.get': {
    summary: 'One repository, as far as the caller may see it.',
    ...signature(ACCESS.read, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.list': {
    summary: 'The repositories that the caller may see, by organization and name.',
    ...signature(ACCESS.lists, repositories.repositoryList, repositories.repositoryPage),
  },
  'repo.create': {
    summary: 'Creates a repository. Needs `org:configure` on the organization.',
    ...signature(ACCESS.organize, repositories.repositoryCreation, repositories.repository),
  },
  'repo.update': {
    summary: 'Changes what is said about a repository. Needs `repo:configure`.',
    ...signature(ACCESS.configure, repositories.repositoryUpdate, repositories.repository),
  },
  'repo.rename': {
    summary: 'Renames a repository; the old name is free at once. Needs `repo:admin`.',
    ...signature(ACCESS.admin, repositories.repositoryRename, repositories.repository),
  },
  'repo.setVisibility': {
    summary: 'Opens a repository to everyone, or closes it. Needs `repo:admin`, and `repo:read` of all of it.',
    ...signature(ACCESS.publish, repositories.repositoryVisibility, repositories.repository),
  },
  'repo.archive': {
    summary: 'Makes a repository take no more writes. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.unarchive': {
    summary: 'Undoes `repo.archive`. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.delete': {
    summary: 'Deletes a repository; for 30 days it can be restored. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repositoryDeletion),
  },
  'repo.restore': {
    summary: 'Brings a deleted repository back. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.transfer': {
    summary:
      'Moves a repository to another organization. Needs `repo:admin`, and `org:configure` on the new organization.',
    ...signature({ ...ACCESS.admin, also: 'org:configure' }, repositories.repositoryTransfer, repositories.repository),
  },
  'repo.configure': {
    summary: 'Turns features of a repository on or off. Needs `repo:configure`.',
    ...signature(ACCESS.configure, repositories.repositoryConfiguration, repositories.repository),
  },
  'repo.listRoles': {
    summary:
      'Who has a role of their own in a repository, by handle; then the pending invitations, by email. Needs `repo:admin`.',
    ...signature(ACCESS.admin, repositoryRoleList, repositoryRolePage),
  },
  'repo.setRole': {
    summary:
      "Gives an account a role in one repository, in place of its organization role's, or invites an email address to it. Needs `repo:admin`.",
    ...signature(ACCESS.admin, repositoryRoleInput, repositoryRoleResult),
  },
  'repo.stats': {
    summary: 'How much a repository holds, by kind and shape. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.repositoryReadInput, descriptions.repositoryStats),
  },
  'repo.describe': {
    summary: 'What a repository is: its shapes with their fields, and how many records each has. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.repositoryReadInput, descriptions.repositoryDescription),
  },
  'repo.getContent': {
    summary: 'The readme of a repository, or its text for agents. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.contentInput, descriptions.repositoryContent),
  },
  'repo.setContent': {
    summary: 'Writes the readme of a repository, or its text for agents, by a commit. Needs `repo:write`.',
    ...signature(ACCESS.write, descriptions.contentChange, descriptions.repositoryContent),
  },
} as const satisfies Record<string, ProcedureRow>;

export const EXPORT_PROCEDURES = {
  'export.status': {
    summary:
      'How far an export job is, and where to download it. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    ...signature(ACCESS.export, exporting.exportStatusInput, exporting.exportStatus),
  },
  'repo.checkpoints': {
    summary: 'The checkpoints of a repository, by name. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    ...signature(ACCESS.export, exporting.checkpointList, exporting.checkpointPage),
  },
  'repo.createCheckpoint': {
    summary:
      'Makes a checkpoint, an export that is kept under a name. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    ...signature(ACCESS.checkpoint, exporting.checkpointCreation, exporting.checkpoint),
  },
  'repo.deleteCheckpoint': {
    summary: 'Gives up a checkpoint and its name. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    ...signature(ACCESS.checkpoint, exporting.checkpointAddress, exporting.checkpoint),
  },
  'import.begin': {
    summary:
      'Begins to import an export into an empty repository, or its increment into one that was imported; or finds the one that was begun. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importBegin, exporting.importState),
  },
  'import.append': {
    summary: 'Sends rows of the export, in order. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importAppend, exporting.importState),
  },
  'import.finish': {
    summary: 'Checks what was sent as a whole, and shows it. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importFinish, exporting.importFinished),
  },
  'import.abort': {
    summary: 'Gives up an import and clears away what was sent. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importAbort, exporting.importAborted),
  },
} as const satisfies Record<string, ProcedureRow>;

export const STREAM_PROCEDURES = {
  'stream.status': {
    summary: 'How far a stream of your own is: where to go on after a cut. Needs `repo:write`.',
    ...signature(ACCESS.commit, streamStatusInput, streamStatus),
  },
  'stream.close': {
    summary: 'Ends a stream of your own: it takes no more lines, and its tokens are forgotten. Needs `repo:write`.',
    ...signature(ACCESS.commit, streamAddress, streamStatus),
  },
  'live.issueTicket': {
    summary: 'A ticket that opens the live stream of a repository, once, within a minute. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject(repositories.repoAddress), liveTicket),
  },
} as const satisfies Record<string, ProcedureRow>;
