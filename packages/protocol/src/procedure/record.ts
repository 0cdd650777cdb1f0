import { z } from 'zod';
import { commitInput, commitRecord, commitResult, operationResult, submissionId } from '../commit.ts';
import { repoAddress } from '../organization.ts';
import { pageInput, pageOf } from '../page.ts';
import * as reads from '../read.ts';
import { recordItem, shapeInput, shapeItem } from '../record.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';

const expectation = { expectedVersion: z.int().min(1).optional().describe('Refused when it is at another version.') };
const commitMessage = { message: commitInput.message };
// Checked before any wref is parsed. The server's own limit is a lower setting.
const WREFS_MAX = 10_000;

const { atSequence, retracted } = reads;
const shapeAddress = { ...repoAddress, name: z.string() };
const recordAddress = { ...repoAddress, wref: reads.wref };
const versionList = z.strictObject({ ...recordAddress, ...atSequence, ...pageInput });
const itemPage = pageOf(recordItem);
const shapeRevision = z.strictObject({ ...repoAddress, ...shapeInput, ...expectation, ...commitMessage });
const renaming = z.strictObject({ ...shapeAddress, newName: z.string(), ...expectation, ...commitMessage });

export const RECORD_PROCEDURES = {
  'shape.list': {
    summary: 'The shapes of a repository, by name; the active ones, unless told otherwise. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...repoAddress, ...atSequence, ...retracted, ...pageInput }), itemPage),
  },
  'shape.get': {
    summary: 'One shape, with the state of its indexes. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...shapeAddress, ...atSequence, ...retracted }), shapeItem),
  },
  'shape.history': {
    summary: 'The versions of a shape, newest first. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...shapeAddress, ...atSequence, ...pageInput }), itemPage),
  },
  'shape.create': {
    summary: 'Creates a shape, by a commit of one operation. Needs `repo:write`.',
    ...signature(ACCESS.provisionShape, z.strictObject({ ...repoAddress, ...shapeInput, ...commitMessage }), shapeItem),
  },
  'shape.revise': {
    summary: 'Gives a shape a new version: the whole field set. Needs `repo:write`.',
    ...signature(ACCESS.write, shapeRevision, shapeItem),
  },
  'shape.retract': {
    summary: 'Retracts a shape; its records stay. Needs `repo:write`.',
    ...signature(
      ACCESS.write,
      z.strictObject({ ...shapeAddress, reason: z.string().optional(), ...expectation, ...commitMessage }),
      shapeItem,
    ),
  },
  'shape.rename': {
    summary: 'Renames a shape; its records follow, and the old name is free at once. Needs `repo:write`.',
    ...signature(ACCESS.write, renaming, shapeItem),
  },
  'thing.head': {
    summary: 'The head snapshot: active records at their current version, filtered. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.headInput, reads.recordAnswer),
  },
  'thing.get': {
    summary: 'One record by its wref, as it is or as it was. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...recordAddress, ...atSequence, ...retracted }), recordItem),
  },
  'thing.getMany': {
    summary: 'Many records by their wrefs, at one sequence; null where there is none. Needs `repo:read`.',
    ...signature(
      ACCESS.read,
      z.strictObject({
        ...repoAddress,
        wrefs: z.array(z.unknown()).min(1).max(WREFS_MAX).pipe(z.array(reads.wref)),
        ...atSequence,
        ...retracted,
      }),
      z.object({ repoSeq: z.int(), items: z.array(recordItem.nullable()) }),
    ),
  },
  'thing.history': {
    summary: 'The versions of a record, newest first. Needs `repo:read`.',
    ...signature(ACCESS.read, versionList, itemPage),
  },
  'thing.names': {
    summary: 'The names that a record has had, oldest first, each with the commit that gave it. Needs `repo:read`.',
    ...signature(ACCESS.read, versionList, reads.namesPage),
  },
  'thing.query': {
    summary: 'Records that a filter lets through: by fields, by what they are about, by words. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.queryInput, reads.recordAnswer),
  },
  'thing.about': {
    summary: 'Assertions about a record. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.aboutInput, reads.recordAnswer),
  },
  'thing.refs': {
    summary: 'What a record refers to, and what refers to it. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.refsInput, reads.refsPage),
  },
  'thing.graph': {
    summary: 'The records around a record, by references both ways. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.graphInput, reads.graph),
  },
  'thing.search': {
    summary: 'Records that hold all the words, those with the words in their name first. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.searchInput, reads.recordPage),
  },
  'thing.count': {
    summary: 'How many records a filter lets through. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.countInput, reads.recordCount),
  },
  'thing.changes': {
    summary: 'Which records changed between two sequences, and how. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.changesInput, reads.changesPage),
  },
  'thing.diff': {
    summary: 'What changed in the data of one record between two sequences. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.diffInput, reads.recordDiff),
  },
  'thing.rename': {
    summary: 'Renames a thing, an assertion or a collection; the old name is free at once. Needs `repo:write`.',
    ...signature(ACCESS.write, renaming, recordItem),
  },
  'commit.submit': {
    summary: 'Writes operations: all or none, in one commit. Needs `repo:write`.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, ...commitInput }), commitResult),
  },
  'commit.validate': {
    summary:
      'What `commit.submit` would answer; writes nothing. Needs `repo:write`, or `repo:read` by more than the repository being public.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, ...commitInput }), commitResult),
  },
  'commit.get': {
    summary: 'One commit with its operations. Needs `repo:read`.',
    ...signature(
      ACCESS.read,
      z.strictObject({ ...repoAddress, repoSeq: z.int().min(1) }),
      commitRecord.extend({ operations: z.array(operationResult) }),
    ),
  },
  'commit.log': {
    summary: 'Commits, newest first; those up to a sequence, where one is given. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...repoAddress, ...atSequence, ...pageInput }), pageOf(commitRecord)),
  },
  'commit.receipt': {
    summary: 'What a commit of yours with this submission id was answered. Needs `repo:write`.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, submissionId }), commitResult),
  },
} as const satisfies Record<string, ProcedureRow>;
