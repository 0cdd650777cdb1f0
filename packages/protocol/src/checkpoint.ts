// Checkpoints on the wire: exports that are kept under a name.
import { z } from 'zod';
import { CHECKPOINT_NAME } from './names.ts';
import { pageInput, pageOf } from './page.ts';
import { description } from './profile.ts';
import { repoAddress } from './repository.ts';

const checkpointName = z
  .string()
  .regex(CHECKPOINT_NAME, 'not a name of a checkpoint: 1 to 100 of A-Z, a-z, 0-9, ., _ and -, not starting with a dot');

export const checkpoint = z.object({
  name: z.string(),
  description: z.string(),
  atRepoSeq: z.int(),
  state: z.enum(['pending', 'running', 'complete', 'failed']),
  exportToken: z.string().describe('Redeems it, as that of any export, for as long as the checkpoint is kept.'),
  recordCount: z.int().optional(),
  contentSha256: z.string().optional(),
  createdBy: z.string(),
  createdAt: z.int(),
});

/** An export that the server keeps under a name. */
export type Checkpoint = z.infer<typeof checkpoint>;

export const checkpointCreation = z.strictObject({
  ...repoAddress,
  name: checkpointName,
  description: description.default(''),
  atRepoSeq: z.int().min(0).optional().describe('By default the current sequence.'),
});

export const checkpointAddress = z.strictObject({ ...repoAddress, name: checkpointName });
export const checkpointList = z.strictObject({ ...repoAddress, ...pageInput });
export const checkpointPage = pageOf(checkpoint);
