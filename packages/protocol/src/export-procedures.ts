// Procedures on exports, checkpoints and imports.
import { ACCESS } from './access.ts';
import { checkpoint, checkpointAddress, checkpointCreation, checkpointList, checkpointPage } from './checkpoint.ts';
import { exportStatus, exportStatusInput } from './export.ts';
import {
  importAbort,
  importAborted,
  importAppend,
  importBegin,
  importFinish,
  importFinished,
  importState,
} from './import.ts';
import type { ProcedureRow } from './procedure-row.ts';

export const EXPORT_PROCEDURES = {
  'export.status': {
    summary:
      'How far an export job is, and where to download it. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    access: ACCESS.export,
    input: exportStatusInput,
    output: exportStatus,
  },
  'repo.checkpoints': {
    summary: 'The checkpoints of a repository, by name. Needs `repo:checkpoint-read` and an unrestricted `repo:read`.',
    access: ACCESS.export,
    input: checkpointList,
    output: checkpointPage,
  },
  'repo.createCheckpoint': {
    summary:
      'Makes a checkpoint, an export that is kept under a name. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    access: ACCESS.checkpoint,
    input: checkpointCreation,
    output: checkpoint,
  },
  'repo.deleteCheckpoint': {
    summary: 'Gives up a checkpoint and its name. Needs `repo:checkpoint-generate` and an unrestricted `repo:read`.',
    access: ACCESS.checkpoint,
    input: checkpointAddress,
    output: checkpoint,
  },
  'import.begin': {
    summary:
      'Begins to import an export into an empty repository, or its increment into one that was imported; or finds the one that was begun. Needs `repo:admin` and `repo:write`.',
    access: ACCESS.import,
    input: importBegin,
    output: importState,
  },
  'import.append': {
    summary: 'Sends rows of the export, in order. Needs `repo:admin` and `repo:write`.',
    access: ACCESS.import,
    input: importAppend,
    output: importState,
  },
  'import.finish': {
    summary: 'Checks what was sent as a whole, and shows it. Needs `repo:admin` and `repo:write`.',
    access: ACCESS.import,
    input: importFinish,
    output: importFinished,
  },
  'import.abort': {
    summary: 'Gives up an import and clears away what was sent. Needs `repo:admin` and `repo:write`.',
    access: ACCESS.import,
    input: importAbort,
    output: importAborted,
  },
} as const satisfies Record<string, ProcedureRow>;
