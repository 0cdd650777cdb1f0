// Tools that find, understand and make repositories.
import { z } from 'zod';
import { CONTENT_NAMES, repositoryReadInput } from './description.ts';
import { repositoryCreation, repositoryList } from './repository.ts';
import { items, pageOutput, some, text, whole } from './tool-output.ts';
import type { ToolRow } from './tool-row.ts';

const listing = repositoryList.unwrap().shape;

/** So many shapes with fields and samples are read with profit; more come by the next page. */
const SHAPES_A_PAGE = 20;

export const REPO_TOOLS = {
  capabilities: {
    title: 'What this server is',
    description:
      'Who you are here and what you may do, how records are made and written, with examples, and the limits. Call it when in doubt.',
    input: z.strictObject({}),
    output: z.looseObject({ version: text, you: some, record: some, cookbook: items, limits: some }),
    procedures: ['diagnostics.capabilities', 'auth.whoami'],
    effect: 'reads',
  },
  repo_list: {
    title: 'Find repositories',
    description: 'Repositories that you may read, with what they say they are for.',
    input: z.strictObject({ orgName: listing.orgName, limit: listing.limit, cursor: listing.cursor }),
    output: pageOutput,
    procedures: ['repo.list'],
    effect: 'reads',
  },
  repo_describe: {
    title: 'Understand a repository',
    description:
      'All that is needed to read and write a repository: shapes with fields, counts and a sample each, the text for agents, what you may do, how to write, limits. Call it before the first read or write there.',
    input: z.strictObject({
      ...repositoryReadInput.shape,
      contents: z
        .array(z.enum(CONTENT_NAMES))
        .max(2)
        .optional()
        .describe('Texts to answer in full; agents by default.'),
      limit: z.int().min(1).max(100).default(SHAPES_A_PAGE),
      cursor: z.string().max(4_096).optional(),
    }),
    output: z.looseObject({
      repository: z.unknown(),
      repoSeq: whole,
      counts: z.unknown(),
      shapes: items,
      nextCursor: text.optional(),
    }),
    procedures: [
      'repo.describe',
      'repo.getContent',
      'thing.query',
      'access.checkRepoPermission',
      'auth.whoami',
      'diagnostics.capabilities',
    ],
    effect: 'reads',
  },
  repo_create: {
    title: 'Make a repository',
    description: 'An empty repository in an organization of yours (capabilities names them). Then: shape_set.',
    input: repositoryCreation,
    output: z.looseObject({ orgName: text, name: text, visibility: text }),
    procedures: ['repo.create'],
    effect: 'adds',
  },
} as const satisfies Record<string, ToolRow>;
