import { z } from 'zod';
import { repositoryReadInput } from '../description.ts';
import { repositoryCreation, repositoryList } from '../organization.ts';
import { RECORD_PROCEDURES } from '../procedure/record.ts';
import { REPO_PROCEDURES } from '../procedure/repo.ts';
import { aboutInput, changesInput, diffInput, graphInput, queryInput, refsInput } from '../read.ts';
import type { ToolRow } from '../row.ts';
import { flag, inWays, items, pageOutput, some, text, whole } from '../tool-way.ts';
import { CONTENT_NAMES } from '../vocabulary.ts';

const listing = repositoryList.unwrap().shape;

/** A larger page of shapes, with fields and samples, is of little use to a model. The next page has the rest. */
const SHAPES_A_PAGE = 20;

export const REPO_TOOLS = {
  capabilities: {
    title: 'Describe the server',
    description:
      'Describes your identity and permissions, how records and commits work, with examples, and the limits. Call it when in doubt.',
    input: z.strictObject({}),
    output: z.looseObject({ version: text, you: some, record: some, cookbook: items, limits: some }),
    procedures: ['diagnostics.capabilities', 'auth.whoami'],
    effect: 'reads',
  },
  repo_list: {
    title: 'Find repositories',
    description: 'Lists repositories that you may read, with their descriptions.',
    input: z.strictObject({ orgName: listing.orgName, limit: listing.limit, cursor: listing.cursor }),
    output: pageOutput,
    procedures: ['repo.list'],
    effect: 'reads',
  },
  repo_describe: {
    title: 'Describe a repository',
    description:
      'Describes all that you need to read and write a repository: shapes with fields, counts and a sample each, the text for agents, your permissions, how to write, limits. Call it before the first read or write there.',
    input: z.strictObject({
      ...repositoryReadInput.shape,
      contents: z
        .array(z.enum(CONTENT_NAMES))
        .max(2)
        .optional()
        .describe('Texts to return in full; by default agents.'),
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
    title: 'Create a repository',
    description: 'Creates an empty repository in one of your organizations (capabilities names them). Next: shape_set.',
    input: repositoryCreation,
    output: z.looseObject({ orgName: text, name: text, visibility: text }),
    procedures: ['repo.create'],
    effect: 'adds',
  },
} as const satisfies Record<string, ToolRow>;

const listOutput = z.looseObject({
  repoSeq: whole,
  items: items.optional(),
  count: whole.optional(),
  nextCursor: text.optional(),
});

const one = RECORD_PROCEDURES['thing.get'].input.shape;
const many = RECORD_PROCEDURES['thing.getMany'].input.shape;
const { limit, cursor } = queryInput.shape;

const CONDITIONS =
  'Conditions on fields of shape; all must match: {"fieldPath":"size.x","op":"gte","rhs":3}; op: eq ne gt gte lt lte prefix in exists.';

/** The check accepts strings too, but one documented form is enough. */
const where = queryInput.shape.where.meta({ description: CONDITIONS, items: { type: 'object' } });

/** These reads tell whether a shape exists when a list of its records is empty. */
const SHAPES = ['shape.get', 'shape.list'] as const;

/** Arguments that have no effect on a count. */
const OF_PAGES = ['order', 'fields', 'limit'];

export const THING_TOOLS = {
  thing_query: {
    title: 'Find records',
    description:
      'Lists active records of a repository, by shape, field values (where), name (match), words (q); without filters all. count: true returns only their number. cursor continues a list. Call repo_describe first to learn shapes and fields.',
    input: queryInput
      .omit({ about: true, resolveCollections: true, role: true, depth: true, acrossRepos: true })
      .extend({
        where,
        match: queryInput.shape.match.describe('A glob over full names, such as Room/**.'),
        q: queryInput.shape.q.describe('Words in the name or in strings of the data.'),
        order: queryInput.shape.order.describe('By default created; with q the best match first.'),
        count: queryInput.shape.count.describe(''),
      }),
    output: listOutput,
    ...inWays(
      [
        { when: { count: true }, calls: 'thing.query', without: OF_PAGES },
        { when: {}, calls: 'thing.query' },
      ],
      SHAPES,
    ),
    effect: 'reads',
  },
  thing_get: {
    title: 'Read records',
    description:
      'Gets one record by wref, or up to 500 by wrefs (null if not found). A wref is Shape/name, Shape/name@v3, Shape for a shape, or a durableId. history: true lists the versions of wref, newest first. atRepoSeq reads the state at that sequence.',
    input: z
      .strictObject({
        orgName: one.orgName,
        repoName: one.repoName,
        wref: one.wref.optional(),
        wrefs: many.wrefs.optional(),
        history: z.boolean().optional(),
        atRepoSeq: one.atRepoSeq,
        includeRetracted: one.includeRetracted,
        limit,
        cursor,
      })
      .refine(({ wref, wrefs }) => (wref ?? wrefs) !== undefined, 'give wref or wrefs'),
    output: z.looseObject({
      name: text.optional(),
      version: whole.optional(),
      data: z.unknown().optional(),
      repoSeq: whole.optional(),
      items: items.optional(),
      nextCursor: text.optional(),
    }),
    ...inWays([
      { when: { wrefs: true }, calls: 'thing.getMany' },
      { when: { history: true }, calls: 'thing.history' },
      { when: {}, calls: 'thing.get' },
    ]),
    effect: 'reads',
  },
  thing_about: {
    title: 'Find assertions about a record',
    description: 'Lists assertions about a record: beliefs, measurements, notes or decisions about it.',
    input: aboutInput.omit({ kind: true, match: true, role: true, includeRetracted: true }).extend({
      where,
      resolveCollections: aboutInput.shape.resolveCollections.describe('Also about collections that contain it.'),
      depth: aboutInput.shape.depth.describe('2 or 3: also assertions about those.'),
      acrossRepos: aboutInput.shape.acrossRepos.describe('Also in other repositories.'),
      order: aboutInput.shape.order.describe(''),
      count: aboutInput.shape.count.describe(''),
    }),
    output: listOutput,
    ...inWays(
      [
        { when: { count: true }, calls: 'thing.about', without: OF_PAGES },
        { when: {}, calls: 'thing.about' },
      ],
      SHAPES,
    ),
    effect: 'reads',
  },
  thing_graph: {
    title: 'Show connections of a record',
    description:
      'Returns the records around a record, by references in both directions, as nodes and edges. refs: true lists only its own references, with their paths, in pages.',
    input: z.strictObject({
      ...graphInput.shape,
      refs: z.boolean().optional(),
      role: refsInput.shape.role.describe('With refs: only this role: about, field, from, members, ...'),
      acrossRepos: refsInput.shape.acrossRepos.describe('With refs: also from other repositories.'),
      cursor,
    }),
    output: z.looseObject({
      repoSeq: whole,
      nodes: items.optional(),
      edges: items.optional(),
      truncated: z.boolean().optional(),
      items: items.optional(),
      nextCursor: text.optional(),
    }),
    ...inWays([
      { when: { refs: true }, calls: 'thing.refs' },
      { when: {}, calls: 'thing.graph' },
    ]),
    effect: 'reads',
  },
  thing_changes: {
    title: 'List changes',
    description:
      'Lists records that changed after the sequence sinceRepoSeq, with the kind of change. wref: differences in the data of that record.',
    input: z.strictObject({
      ...changesInput.shape,
      wref: diffInput.shape.wref.optional(),
    }),
    output: z.looseObject({
      sinceRepoSeq: whole,
      repoSeq: whole,
      items: items.optional(),
      differences: items.optional(),
      nextCursor: text.optional(),
    }),
    ...inWays(
      [
        { when: { wref: true }, calls: 'thing.diff' },
        { when: {}, calls: 'thing.changes' },
      ],
      SHAPES,
    ),
    effect: 'reads',
  },
  commit_log: {
    title: 'List commits',
    description:
      'Lists commits, newest first, with author and time. repoSeq: that commit with its operations. submissionId: the result of your own commit.',
    input: z.strictObject({
      ...RECORD_PROCEDURES['commit.log'].input.shape,
      repoSeq: RECORD_PROCEDURES['commit.get'].input.shape.repoSeq.optional(),
      submissionId: RECORD_PROCEDURES['commit.receipt'].input.shape.submissionId.optional(),
    }),
    output: pageOutput.partial(),
    ...inWays([
      { when: { submissionId: true }, calls: 'commit.receipt' },
      { when: { repoSeq: true }, calls: 'commit.get' },
      { when: {}, calls: 'commit.log' },
    ]),
    effect: 'reads',
  },
} as const satisfies Record<string, ToolRow>;

export const WRITE_TOOLS = {
  shape_set: {
    title: 'Define a shape',
    description:
      'Creates a shape, or gives an existing one a new version: always send all fields and the description. A field is a type (string number boolean wref json, ["string"] for a list; ? after the key: optional) or { "type", "description", "indexed": true to filter by it, "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "integer", "shape" of a wref }, or an object of fields. Dates are strings. Records keep the shape version that they were written with.',
    input: RECORD_PROCEDURES['shape.revise'].input.extend({
      fields: z.unknown().meta({ type: 'object', description: 'Such as { "x": "number", "label?": "string" }.' }),
    }),
    output: z.looseObject({ name: text, version: whole, data: z.unknown() }),
    procedures: ['shape.create', 'shape.revise'],
    effect: 'adds',
    idempotent: true,
  },
  commit_submit: {
    title: 'Write records',
    description:
      'Writes operations in order, all or none. {"operation":"add","name":"Shape/name","data":{}}, with "about":"Shape/other" an assertion about that record; {"operation":"revise","name","data"} replaces all data; {"operation":"retract","name","reason"}; {"operation":"rename","name","newName"}; {"type":"arc","members":["A/x","B/y"]} connects (also bond, set, list). Define shapes first: shape_set. dryRun: true only checks. If refused, correct what the error names and send all operations again.',
    input: z.strictObject({
      ...RECORD_PROCEDURES['commit.submit'].input.shape,
      operations: RECORD_PROCEDURES['commit.submit'].input.shape.operations.meta({
        description: '1 to 10,000.',
        items: { type: 'object' },
      }),
      dryRun: z.boolean().optional(),
    }),
    output: z.looseObject({ repoSeq: whole, commitId: text.nullable(), partial: flag, operations: items }),
    ...inWays([
      { when: { dryRun: true }, calls: 'commit.validate' },
      { when: {}, calls: 'commit.submit' },
    ]),
    effect: 'changes',
  },
  content_set: {
    title: 'Write the readme or the text for agents',
    description:
      'Replaces a text of the repository, in Markdown: readme for people, agents for instructions to agents.',
    input: REPO_PROCEDURES['repo.setContent'].input,
    output: z.looseObject({ name: text, version: whole, repoSeq: whole }),
    procedures: ['repo.setContent'],
    effect: 'adds',
    idempotent: true,
  },
} as const satisfies Record<string, ToolRow>;
