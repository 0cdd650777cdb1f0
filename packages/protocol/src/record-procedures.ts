// Procedures on what a repository holds: shapes, records and commits.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import { commitInput, commitRecord, commitResult, operationResult, submissionId } from './commit.ts';
import { pageInput, pageOf } from './page.ts';
import type { ProcedureRow } from './procedure-row.ts';
import {
  aboutInput,
  atSequence,
  changesInput,
  changesPage,
  countInput,
  diffInput,
  graph,
  graphInput,
  headInput,
  namesPage,
  queryInput,
  recordAnswer,
  recordCount,
  recordDiff,
  recordPage,
  refsInput,
  refsPage,
  retracted,
  searchInput,
  wref,
} from './read.ts';
import { recordItem } from './record.ts';
import { repoAddress } from './repository.ts';
import { shapeInput, shapeItem } from './shape.ts';

const expectation = { expectedVersion: z.int().min(1).optional().describe('Refused when it is at another version.') };
const commitMessage = { message: commitInput.message };
// Counted before each is looked at; the server's own limit is a setting below it.
const WREFS_MAX = 10_000;

export const RECORD_PROCEDURES = {
  'shape.list': {
    summary: 'The shapes of a repository, by name; the active ones, unless told otherwise. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, ...atSequence, ...retracted, ...pageInput }),
    output: pageOf(recordItem),
  },
  'shape.get': {
    summary: 'One shape, with the state of its indexes. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, name: z.string(), ...atSequence, ...retracted }),
    output: shapeItem,
  },
  'shape.history': {
    summary: 'The versions of a shape, newest first. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, name: z.string(), ...atSequence, ...pageInput }),
    output: pageOf(recordItem),
  },
  'shape.create': {
    summary: 'Creates a shape, by a commit of one operation. Needs `repo:write`.',
    access: ACCESS.provisionShape,
    input: z.strictObject({ ...repoAddress, ...shapeInput, ...commitMessage }),
    output: shapeItem,
  },
  'shape.revise': {
    summary: 'Gives a shape a new version: the whole field set. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, ...shapeInput, ...expectation, ...commitMessage }),
    output: shapeItem,
  },
  'shape.retract': {
    summary: 'Retracts a shape; its records stay. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({
      ...repoAddress,
      name: z.string(),
      reason: z.string().optional(),
      ...expectation,
      ...commitMessage,
    }),
    output: shapeItem,
  },
  'shape.rename': {
    summary: 'Renames a shape; its records follow, and the old name is free at once. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, name: z.string(), newName: z.string(), ...expectation, ...commitMessage }),
    output: shapeItem,
  },
  'thing.head': {
    summary: 'The head snapshot: active records at their current version, filtered. Needs `repo:read`.',
    access: ACCESS.read,
    input: headInput,
    output: recordAnswer,
  },
  'thing.get': {
    summary: 'One record by its wref, as it is or as it was. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, wref, ...atSequence, ...retracted }),
    output: recordItem,
  },
  'thing.getMany': {
    summary: 'Many records by their wrefs, at one sequence; null where there is none. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({
      ...repoAddress,
      wrefs: z.array(z.unknown()).min(1).max(WREFS_MAX).pipe(z.array(wref)),
      ...atSequence,
      ...retracted,
    }),
    output: z.object({ repoSeq: z.int(), items: z.array(recordItem.nullable()) }),
  },
  'thing.history': {
    summary: 'The versions of a record, newest first. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, wref, ...atSequence, ...pageInput }),
    output: pageOf(recordItem),
  },
  'thing.names': {
    summary: 'The names that a record has had, oldest first, each with the commit that gave it. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, wref, ...atSequence, ...pageInput }),
    output: namesPage,
  },
  'thing.query': {
    summary: 'Records that a filter lets through: by fields, by what they are about, by words. Needs `repo:read`.',
    access: ACCESS.read,
    input: queryInput,
    output: recordAnswer,
  },
  'thing.about': {
    summary: 'Assertions about a record. Needs `repo:read`.',
    access: ACCESS.read,
    input: aboutInput,
    output: recordAnswer,
  },
  'thing.refs': {
    summary: 'What a record refers to, and what refers to it. Needs `repo:read`.',
    access: ACCESS.read,
    input: refsInput,
    output: refsPage,
  },
  'thing.graph': {
    summary: 'The records around a record, by references both ways. Needs `repo:read`.',
    access: ACCESS.read,
    input: graphInput,
    output: graph,
  },
  'thing.search': {
    summary: 'Records that hold all the words, those with the words in their name first. Needs `repo:read`.',
    access: ACCESS.read,
    input: searchInput,
    output: recordPage,
  },
  'thing.count': {
    summary: 'How many records a filter lets through. Needs `repo:read`.',
    access: ACCESS.read,
    input: countInput,
    output: recordCount,
  },
  'thing.changes': {
    summary: 'Which records changed between two sequences, and how. Needs `repo:read`.',
    access: ACCESS.read,
    input: changesInput,
    output: changesPage,
  },
  'thing.diff': {
    summary: 'What changed in the data of one record between two sequences. Needs `repo:read`.',
    access: ACCESS.read,
    input: diffInput,
    output: recordDiff,
  },
  'thing.rename': {
    summary: 'Renames a thing, an assertion or a collection; the old name is free at once. Needs `repo:write`.',
    access: ACCESS.write,
    input: z.strictObject({ ...repoAddress, name: z.string(), newName: z.string(), ...expectation, ...commitMessage }),
    output: recordItem,
  },
  'commit.submit': {
    summary: 'Writes operations: all or none, in one commit. Needs `repo:write`.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, ...commitInput }),
    output: commitResult,
  },
  'commit.validate': {
    summary:
      'What `commit.submit` would answer; writes nothing. Needs `repo:write`, or `repo:read` by more than the repository being public.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, ...commitInput }),
    output: commitResult,
  },
  'commit.get': {
    summary: 'One commit with its operations. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, repoSeq: z.int().min(1) }),
    output: commitRecord.extend({ operations: z.array(operationResult) }),
  },
  'commit.log': {
    summary: 'Commits, newest first; those up to a sequence, where one is given. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject({ ...repoAddress, ...atSequence, ...pageInput }),
    output: pageOf(commitRecord),
  },
  'commit.receipt': {
    summary: 'What a commit of yours with this submission id was answered. Needs `repo:write`.',
    access: ACCESS.commit,
    input: z.strictObject({ ...repoAddress, submissionId }),
    output: commitResult,
  },
} as const satisfies Record<string, ProcedureRow>;
