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
    summary: 'Gets a repository, as far as the caller may see it.',
    ...signature(ACCESS.read, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.list': {
    summary: 'Lists the repositories that the caller may see, by organization and name.',
    ...signature(ACCESS.lists, repositories.repositoryList, repositories.repositoryPage),
  },
  'repo.create': {
    summary: 'Creates a repository. Needs `org:configure` on the organization.',
    ...signature(ACCESS.organize, repositories.repositoryCreation, repositories.repository),
  },
  'repo.update': {
    summary: 'Changes the display name or description of a repository. Needs `repo:configure`.',
    ...signature(ACCESS.configure, repositories.repositoryUpdate, repositories.repository),
  },
  'repo.rename': {
    summary: 'Renames a repository. The old name becomes free at once. Needs `repo:admin`.',
    ...signature(ACCESS.admin, repositories.repositoryRename, repositories.repository),
  },
  'repo.setVisibility': {
    summary: 'Makes a repository public or private. Needs `repo:admin` and an unrestricted `repo:read`.',
    ...signature(ACCESS.publish, repositories.repositoryVisibility, repositories.repository),
  },
  'repo.archive': {
    summary: 'Archives a repository: it takes no more writes. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.unarchive': {
    summary: 'Undoes `repo.archive`. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repository),
  },
  'repo.delete': {
    summary: 'Deletes a repository. It can be restored for 30 days. Needs `repo:admin`.',
    ...signature(ACCESS.admin, z.strictObject(repositories.repoAddress), repositories.repositoryDeletion),
  },
  'repo.restore': {
    summary: 'Restores a deleted repository. Needs `repo:admin`.',
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
      'Lists the accounts with their own role in a repository, by handle, then the pending invitations, by email. Needs `repo:admin`.',
    ...signature(ACCESS.admin, repositoryRoleList, repositoryRolePage),
  },
  'repo.setRole': {
    summary:
      'Gives an account a role in one repository, which replaces its organization role there, or invites an email address to that role. Needs `repo:admin`.',
    ...signature(ACCESS.admin, repositoryRoleInput, repositoryRoleResult),
  },
  'repo.stats': {
    summary: 'Counts the records of a repository, by kind and by shape. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.repositoryReadInput, descriptions.repositoryStats),
  },
  'repo.describe': {
    summary: 'Describes a repository: its shapes with their fields and record counts. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.repositoryReadInput, descriptions.repositoryDescription),
  },
  'repo.getContent': {
    summary: 'Gets the readme of a repository, or its text for agents. Needs `repo:read`.',
    ...signature(ACCESS.read, descriptions.contentInput, descriptions.repositoryContent),
  },
  'repo.setContent': {
    summary: 'Writes the readme of a repository, or its text for agents, in a commit. Needs `repo:write`.',
    ...signature(ACCESS.write, descriptions.contentChange, descriptions.repositoryContent),
  },
} as const satisfies Record<string, ProcedureRow>;

export const EXPORT_PROCEDURES = {
  'export.status': {
    summary:
      'Gets the state of an export job, and its download URL when it is complete. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    ...signature(ACCESS.export, exporting.exportStatusInput, exporting.exportStatus),
  },
  'repo.checkpoints': {
    summary: 'Lists checkpoints by name. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    ...signature(ACCESS.export, exporting.checkpointList, exporting.checkpointPage),
  },
  'repo.createCheckpoint': {
    summary:
      'Creates a checkpoint, which is an export stored under a name. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    ...signature(ACCESS.checkpoint, exporting.checkpointCreation, exporting.checkpoint),
  },
  'repo.deleteCheckpoint': {
    summary: 'Deletes a checkpoint. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    ...signature(ACCESS.checkpoint, exporting.checkpointAddress, exporting.checkpoint),
  },
  'import.begin': {
    summary:
      'Starts to import an export into an empty repository, or an increment into an imported one. Resumes an import that was already started. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importBegin, exporting.importState),
  },
  'import.append': {
    summary: 'Sends rows of the export, in order. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importAppend, exporting.importState),
  },
  'import.finish': {
    summary: 'Checks all sent rows together, then makes them visible. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importFinish, exporting.importFinished),
  },
  'import.abort': {
    summary: 'Cancels an import and removes the sent rows. Needs `repo:admin` and `repo:write`.',
    ...signature(ACCESS.import, exporting.importAbort, exporting.importAborted),
  },
} as const satisfies Record<string, ProcedureRow>;

export const STREAM_PROCEDURES = {
  'stream.status': {
    summary: 'Gets the progress of one of your streams, and the line to resume from. Needs `repo:write`.',
    ...signature(ACCESS.commit, streamStatusInput, streamStatus),
  },
  'stream.close': {
    summary: 'Closes one of your streams: it takes no more lines, and forgets its placeholders. Needs `repo:write`.',
    ...signature(ACCESS.commit, streamAddress, streamStatus),
  },
  'live.issueTicket': {
    summary: 'Issues a ticket that opens the live stream of a repository once, within a minute. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject(repositories.repoAddress), liveTicket),
  },
} as const satisfies Record<string, ProcedureRow>;
