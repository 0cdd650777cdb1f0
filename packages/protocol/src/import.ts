// Imports on the wire: an export goes in line by line, and shows when it is whole.
import { z } from 'zod';
import { exportEnd, exportHeader } from './export.ts';
import { repoAddress } from './repository.ts';

export const importBegin = z.strictObject({ ...repoAddress, header: exportHeader });

export const importState = z.object({
  importId: z.string(),
  offset: z.int().describe('How many rows the server has. An import that was cut goes on from there.'),
});

const importAddress = { ...repoAddress, importId: z.string().min(1).max(100) };

export const importAppend = z.strictObject({
  ...importAddress,
  offset: z.int().min(0).describe('How many rows were sent before.'),
  lines: z.string().describe('Rows of the export, one a line: NDJSON, as it stands in the file.'),
});

export const importFinish = z.strictObject({ ...importAddress, end: exportEnd });

/** Checking goes in steps: until it is complete, the call is made again. */
export const importFinished = z.union([
  z.object({ state: z.literal('checking'), checked: z.int().describe('Of all rows, how many have been checked.') }),
  z.object({
    state: z.literal('complete'),
    repoSeq: z.int(),
    commitId: z.string(),
    recordCount: z.int(),
  }),
]);

export type ImportFinished = z.infer<typeof importFinished>;

export const importAbort = z.strictObject({
  ...repoAddress,
  importId: z.string().min(1).max(100).optional().describe('By default the one that is under way.'),
});

/** Clearing away goes in steps: until it is done, the call is made again. */
export const importAborted = z.object({ done: z.boolean() });
