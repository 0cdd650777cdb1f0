// Records on the wire.
import { z } from 'zod';
import { RECORD_KINDS } from './commit.ts';

export const recordItem = z.object({
  durableId: z.string().describe("The record's identity, unchanged by rename, revise or retract."),
  wref: z.string(),
  pinnedWref: z.string().describe('The wref with this version.'),
  name: z.string(),
  kind: z.enum(RECORD_KINDS),
  shapeName: z.string().optional(),
  version: z.int(),
  active: z.boolean(),
  repoSeq: z.int().describe('The commit that made this version.'),
  data: z.unknown(),
  dataHash: z.string().optional(),
  reason: z.string().optional().describe('Why it was retracted.'),
  committerWref: z.string().optional(),
  createdBy: z.string(),
  recordCreatedAt: z.int(),
  versionCreatedAt: z.int(),
});

export type RecordItem = z.infer<typeof recordItem>;
