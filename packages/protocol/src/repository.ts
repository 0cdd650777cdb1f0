// Repositories on the wire.
import { z } from 'zod';
import { REPOSITORY_NAME } from './names.ts';
import { description, displayName, orgAddress, organizationName } from './organization.ts';
import { pageInput, pageOf } from './page.ts';

export const repositoryName = z
  .string()
  .regex(REPOSITORY_NAME, 'not a repository name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -, not starting with a dot');

export const repoAddress = { ...orgAddress, repoName: repositoryName };

export const visibility = z.enum(['public', 'private']);

export const repository = z.object({
  orgName: z.string(),
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  visibility,
  archived: z.boolean().describe('Whether it takes no writes: it is archived itself, or its organization is.'),
  repoSeq: z.int(),
  createdAt: z.int(),
  lastCommitAt: z
    .int()
    .optional()
    .describe(
      'In lists only: when it was written to last. Left out where it never was, and for who may see but a part.',
    ),
  features: z.object({ streamSubmissions: z.boolean() }),
  importing: z.literal(true).optional().describe('While an export is being restored: reads as empty, takes no writes.'),
  importedRepoSeq: z
    .int()
    .optional()
    .describe('Of a copy: the sequence that was imported last. What was before it can be read in the original alone.'),
  deletedAt: z.int().optional().describe('In lists of deleted repositories only.'),
});

/** A repository. */
export type Repository = z.infer<typeof repository>;

export const repositoryList = z
  .strictObject({
    orgName: organizationName.optional().describe('Only the repositories of this organization.'),
    deleted: z.boolean().default(false).describe('Those that were deleted and can still be restored, instead.'),
    ...pageInput,
  })
  .prefault({});
export const repositoryPage = pageOf(repository);

export const repositoryCreation = z.strictObject({
  ...orgAddress,
  name: repositoryName,
  visibility: visibility.default('private'),
  displayName: displayName.optional().describe('By default the name.'),
  description: description.default(''),
});

export const repositoryUpdate = z.strictObject({
  ...repoAddress,
  displayName: displayName.optional(),
  description: description.optional(),
});

export const repositoryRename = z.strictObject({ ...repoAddress, newName: repositoryName });
export const repositoryVisibility = z.strictObject({ ...repoAddress, visibility });
export const repositoryTransfer = z.strictObject({ ...repoAddress, newOrgName: organizationName });

export const repositoryConfiguration = z.strictObject({
  ...repoAddress,
  features: z.strictObject({
    streamSubmissions: z.boolean().optional().describe('Whether the repository takes streaming submissions.'),
  }),
});

export const repositoryDeletion = z.object({
  orgName: z.string(),
  name: z.string(),
  deletedAt: z.int(),
  finalAt: z.int().describe('Until then `repo.restore` brings it back, and its name stays taken.'),
});

/** A repository that was deleted, and until when it can be restored. */
export type RepositoryDeletion = z.infer<typeof repositoryDeletion>;
