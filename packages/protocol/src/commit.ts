import { z } from 'zod';
import { ERRORS } from './errors.ts';
import { type COLLECTION_TYPES, RECORD_KINDS } from './vocabulary.ts';

const errorCode = z.enum(Object.keys(ERRORS) as (keyof typeof ERRORS)[]);

export const operationResult = z.object({
  opIndex: z.int(),
  operation: z.string().describe('add, revise, retract or rename. For a failed operation, the value that was sent.'),
  kind: z.enum(RECORD_KINDS),
  name: z.string(),
  submittedName: z.string().optional().describe('The name that the operation used, if the record got another.'),
  version: z.int().optional(),
  status: z.enum(['applied', 'noop', 'error']),
  dataHash: z.string().optional().describe('SHA-256 of the data in its stored form, in hex.'),
  error: z.object({ code: errorCode, message: z.string(), details: z.unknown().optional() }).optional(),
  warnings: z.object({ undeclaredFields: z.array(z.string()) }).optional(),
});

/** The result of one operation. */
export type OperationResult = z.infer<typeof operationResult>;

export const commitResult = z.object({
  repoSeq: z.int().describe('The sequence of the commit, or the current sequence if nothing was applied.'),
  commitId: z.string().nullable(),
  partial: z.boolean().describe('True if some operations were applied and others failed.'),
  operations: z.array(operationResult),
});

/** The result of a commit: its sequence, and the result of each operation. */
export type CommitResult = z.infer<typeof commitResult>;

export const commitRecord = z.object({
  repoSeq: z.int(),
  commitId: z.string().nullable().describe('Null if some of its operations are hidden; the message is then null too.'),
  createdBy: z.string(),
  createdAt: z.int(),
  message: z.string().nullable(),
  committerWref: z.string().nullable().optional().describe('Null if it is hidden.'),
  operationCount: z.int(),
  imported: z
    .literal(true)
    .optional()
    .describe('True if the commit stands for an import. The operations of the original are not listed.'),
});

/** A commit as the log lists it. */
export type CommitRecord = z.infer<typeof commitRecord>;

const MESSAGE_CHARACTERS_MAX = 10_000;

/** Lower case, so that an id is the same however its letters are written. */
export const submissionId = z
  .uuid('expected a UUID, such as 3f0c6f0a-7d0e-4f50-9a3d-6b9f0f1f2a33')
  .transform((id) => id.toLowerCase())
  .describe('A UUID.');

export const commitInput = {
  operations: z
    .array(z.unknown())
    .min(1, 'a commit needs at least one operation')
    .describe('Objects such as { "operation": "add", "kind": "thing", "name": "Location/cave", "data": { "x": 3 } }.'),
  message: z
    .string()
    .max(MESSAGE_CHARACTERS_MAX)
    .refine((message) => !message.includes('\0'), 'a message cannot contain U+0000')
    .optional(),
  atomic: z.boolean().optional().describe('True by default: applies all operations or none.'),
  committer: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe('The wref of the record on whose behalf you write, such as Agent/bot.'),
  submissionId: submissionId.optional().describe('Makes the commit idempotent: sent twice, it is written once.'),
  skipExisting: z.boolean().optional().describe('Makes an add of an existing name a noop instead of an error.'),
};

// Operations as callers write them, and whether a commit was applied in part. Without zod: the server checks the input.

/**
 * One step of a commit. A wref is text: `Location/cave`, `Location/cave@v3`, a durable ID, or `#1` for the result of
 * `$1`.
 */
export type Operation =
  | AddThing
  | AddShape
  | AddAssertion
  | AddCollection
  | ReviseRecord
  | ReviseMembers
  | RetractRecord
  | RenameRecord;

interface Add {
  readonly operation?: 'add' | undefined;
  /** Leaves an existing record as it is instead of refusing the operation. */
  readonly skipExisting?: boolean | undefined;
}

interface AddThing extends Add {
  readonly kind?: 'thing' | undefined;
  /** `Shape/name`; `$1` in its last part asks the server for a unique value. */
  readonly name: string;
  readonly data: object;
}

interface AddShape extends Add {
  readonly kind: 'shape';
  readonly name: string;
  readonly data: { readonly fields: object; readonly description?: string | undefined };
}

interface AddAssertion extends Add {
  readonly kind?: 'assertion' | undefined;
  readonly name: string;
  /** The wref of the record that the assertion is about. */
  readonly about: string;
  readonly data: object;
}

interface AddCollection extends Add {
  readonly kind?: 'collection' | undefined;
  readonly type: (typeof COLLECTION_TYPES)[number];
  /** Derived from the members if absent. */
  readonly name?: string | undefined;
  /** Wrefs, in order. */
  readonly members: readonly string[];
}

interface Change {
  /** The name of the record, its durable ID, or `#1` for the result of `$1`. */
  readonly name: string;
  /** Refuses the operation if the record is of another kind. */
  readonly kind?: (typeof RECORD_KINDS)[number] | undefined;
  /** Refuses the operation if the record is at another version. */
  readonly expectedVersion?: number | undefined;
}

interface ReviseRecord extends Change {
  readonly operation: 'revise';
  /** The whole new data, not a patch. */
  readonly data: object;
}

interface ReviseMembers extends Change {
  readonly operation: 'revise';
  /** All members of the collection, in order, not only the added ones. */
  readonly members: readonly string[];
}

interface RetractRecord extends Change {
  readonly operation: 'retract';
  readonly reason?: string | undefined;
}

interface RenameRecord extends Change {
  readonly operation: 'rename';
  readonly newName: string;
}

export function isPartial(operations: readonly OperationResult[]): boolean {
  const has = (wanted: OperationResult['status']) => operations.some(({ status }) => status === wanted);
  return has('applied') && has('error');
}
