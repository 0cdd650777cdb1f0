import { z } from 'zod';
import { commitInput, commitRecord, commitResult, operationResult, submissionId } from '../commit.ts';
import { repoAddress } from '../organization.ts';
import { pageInput, pageOf } from '../page.ts';
import * as reads from '../read.ts';
import { recordItem, shapeInput, shapeItem } from '../record.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';

const expectation = {
  expectedVersion: z.int().min(1).optional().describe('Refuses the change at another version.'),
};
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
    summary: 'Lists the shapes of a repository, by name. By default only active shapes. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...repoAddress, ...atSequence, ...retracted, ...pageInput }), itemPage),
  },
  'shape.get': {
    summary: 'Gets a shape, with the state of its indexes. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...shapeAddress, ...atSequence, ...retracted }), shapeItem),
  },
  'shape.history': {
    summary: 'Lists the versions of a shape, newest first. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...shapeAddress, ...atSequence, ...pageInput }), itemPage),
  },
  'shape.create': {
    summary: 'Creates a shape, in a commit of its own. Needs `repo:write`.',
    ...signature(ACCESS.provisionShape, z.strictObject({ ...repoAddress, ...shapeInput, ...commitMessage }), shapeItem),
  },
  'shape.revise': {
    summary: 'Gives a shape a new version. Takes the whole field set. Needs `repo:write`.',
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
    summary: 'Renames a shape. Its records follow, and the old name becomes free at once. Needs `repo:write`.',
    ...signature(ACCESS.write, renaming, shapeItem),
  },
  'thing.head': {
    summary: 'Lists the head snapshot: active records at their current version. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.headInput, reads.recordAnswer),
  },
  'thing.get': {
    summary: 'Gets a record by its wref, at the current or an earlier sequence. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...recordAddress, ...atSequence, ...retracted }), recordItem),
  },
  'thing.getMany': {
    summary: 'Gets many records by their wrefs, at one sequence; null for each missing one. Needs `repo:read`.',
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
    summary: 'Lists the versions of a record, newest first. Needs `repo:read`.',
    ...signature(ACCESS.read, versionList, itemPage),
  },
  'thing.names': {
    summary: 'Lists the names of a record, oldest first, each with the commit that set it. Needs `repo:read`.',
    ...signature(ACCESS.read, versionList, reads.namesPage),
  },
  'thing.query': {
    summary: 'Lists the records that match a filter: by fields, by their subject, by words. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.queryInput, reads.recordAnswer),
  },
  'thing.about': {
    summary: 'Lists the assertions about a record. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.aboutInput, reads.recordAnswer),
  },
  'thing.refs': {
    summary: 'Lists the references from a record and to it. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.refsInput, reads.refsPage),
  },
  'thing.graph': {
    summary: 'Returns the records around a record, following references in both directions. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.graphInput, reads.graph),
  },
  'thing.search': {
    summary: 'Searches for records that contain all words. Matches in names come first. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.searchInput, reads.recordPage),
  },
  'thing.count': {
    summary: 'Counts the records that match a filter. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.countInput, reads.recordCount),
  },
  'thing.changes': {
    summary: 'Lists the records that changed between two sequences, with the kind of change. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.changesInput, reads.changesPage),
  },
  'thing.diff': {
    summary: 'Compares the data of a record at two sequences. Needs `repo:read`.',
    ...signature(ACCESS.read, reads.diffInput, reads.recordDiff),
  },
  'thing.rename': {
    summary: 'Renames a thing, an assertion or a collection. The old name becomes free at once. Needs `repo:write`.',
    ...signature(ACCESS.write, renaming, recordItem),
  },
  'commit.submit': {
    summary: 'Writes operations in one commit. By default all or none. Needs `repo:write`.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, ...commitInput }), commitResult),
  },
  'commit.validate': {
    summary:
      'Checks operations: answers like `commit.submit`, but writes nothing. Needs `repo:write`, or a `repo:read` that does not come from the repository being public.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, ...commitInput }), commitResult),
  },
  'commit.get': {
    summary: 'Gets a commit with its operations. Needs `repo:read`.',
    ...signature(
      ACCESS.read,
      z.strictObject({ ...repoAddress, repoSeq: z.int().min(1) }),
      commitRecord.extend({ operations: z.array(operationResult) }),
    ),
  },
  'commit.log': {
    summary: 'Lists commits, newest first, optionally up to a sequence. Needs `repo:read`.',
    ...signature(ACCESS.read, z.strictObject({ ...repoAddress, ...atSequence, ...pageInput }), pageOf(commitRecord)),
  },
  'commit.receipt': {
    summary: 'Gets the result of your commit with this submission id. Needs `repo:write`.',
    ...signature(ACCESS.commit, z.strictObject({ ...repoAddress, submissionId }), commitResult),
  },
} as const satisfies Record<string, ProcedureRow>;
