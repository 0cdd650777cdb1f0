import { valueAt } from '@cairn/model/json';
import type { CommitResult } from '@cairn/protocol/commit';
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import { wholeNumber } from './flags.ts';
import type { CommandIo } from './io.ts';
import { shellWord } from './look.ts';
import { didYouMean, hinted, nearNames, nearShapes, type Place } from './near-name.ts';
import { byLine, type Failure, failuresIn, jsonRefusal, type PlacedOperations, placeOf } from './operation-place.ts';
import { inWords } from './output.ts';
import { openRepo, type RepoSession } from './session.ts';
import { tellUndeclared } from './undeclared-field.ts';

interface SubmissionFlags {
  readonly message?: string;
  readonly committer?: string;
  readonly submissionId?: string;
  readonly atomic?: boolean;
  readonly skipExisting?: true;
  readonly dryRun?: true;
}

export function addSubmission(command: Command): Command {
  return command
    .option('--message <text>', 'commit message')
    .option('--committer <wref>', 'the record on whose behalf you commit, such as Agent/bot')
    .option('--submission-id <uuid>', 'a UUID that makes it safe to send the same commit twice')
    .option('--dry-run', 'show what would happen, and write nothing');
}

export function addSkipExisting(command: Command): Command {
  return command.option('--skip-existing', 'skip records that already exist instead of refusing them');
}

export async function submitOperations(io: CommandIo, command: Command, placed: PlacedOperations): Promise<void> {
  const { operations } = placed;
  const { message, committer, submissionId, atomic, skipExisting, dryRun }: SubmissionFlags = command.opts();
  const opened = openRepo(io, command);
  const { repo, print, say } = opened;
  const commit = {
    // The server refuses other values, and names their position.
    operations: operations as object[],
    ...{ message, committer, submissionId, atomic, skipExisting },
  };
  const isForPeople = opened.format === 'pretty';
  const submitted = repo().commits[dryRun ? 'validate' : 'submit'](commit);
  const result = await submitted.catch(async (reason: unknown) => {
    const error = await withNearInCommit(opened, operations, reason);
    if (!(error instanceof CairnError) || !placed.isJson) throw error;
    const { lines } = placed;
    throw jsonRefusal(error, {
      isForPeople,
      placeOf: (index) => placeOf(index, lines),
      inPlaces: (message) => byLine(message, lines),
    });
  });
  print(result);
  if (isForPeople) explainFailures(io, result, placed);
  await tellNear(opened, result, operations);
  await tellUndeclared(opened, result, dryRun === true);
  await tellStillReferred(opened, result);
  if (dryRun) say('Dry run: nothing was written.');
  io.setExitCode(exitCodeOf(result));
}

async function tellNear(opened: RepoSession, result: CommitResult, operations: readonly unknown[]): Promise<void> {
  if (!opened.isFollowed) return;
  const failed = result.operations.flatMap(({ opIndex: index, error }) => (error ? [{ index, ...error }] : []));
  const hint = await nearInCommit(opened, operations, failed);
  if (hint !== undefined) opened.say(hint);
}

/** Printed in full, since the table has no room. */
function explainFailures(io: CommandIo, { operations }: CommitResult, { lines, isJson }: PlacedOperations): void {
  for (const { opIndex, name, error } of operations) {
    if (error === undefined) continue;
    const [first = '', ...rest] = placeOf(opIndex, lines);
    const place = `${first.toUpperCase()}${rest.join('')}${name === '' ? '' : `, ${name}`}`;
    io.stderr(`${place}: ${inWords(byLine(error.message, lines), error.code, isJson)} (${error.code})\n`);
  }
}

function exitCodeOf({ operations, partial }: CommitResult): number {
  if (partial) return EXIT.partlyApplied;
  return operations.some(({ status }) => status === 'error') ? EXIT.failed : EXIT.done;
}

export interface ChangeFlags {
  readonly expectedVersion?: number;
}

export function addChange(command: Command): Command {
  return addSubmission(
    command.option('--expected-version <version>', 'fail if the record is at another version', wholeNumber),
  );
}

export const expectationOf = ({ expectedVersion }: ChangeFlags) => ({ expectedVersion });

export function addRetract(noun: Command, io: CommandIo, kind: 'assertion' | 'collection'): void {
  addChange(noun.command('retract <name>').option('--reason <text>', 'reason for the retraction'))
    .summary(`retract ${kind === 'assertion' ? 'an assertion' : 'a collection'}; its history stays`)
    .action(async (name: string, flags: ChangeFlags & { reason?: string }, command: Command) => {
      const given = { reason: flags.reason, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ operation: 'retract', kind, name, ...given }] });
    });
}

/** Each costs a few requests. */
const LOOKED_UP_MAX = 3;

interface Missing {
  readonly name: string;
  /** True if the shape of a new record is missing. */
  readonly isOfNew: boolean;
}

type Operation = Readonly<Record<string, unknown>>;

type Failed = Pick<Failure, 'index' | 'code' | 'details'>;

async function withNearInCommit(place: Place, operations: readonly unknown[], error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError)) return error;
  const hint = await nearInCommit(place, operations, failuresIn(error.details));
  return hint === undefined ? error : hinted(error, hint);
}

async function nearInCommit(
  place: Place,
  operations: readonly unknown[],
  failed: readonly Failed[],
): Promise<string | undefined> {
  const all = failed.flatMap((failure) => missingIn((operations[failure.index] ?? {}) as Operation, failure));
  const missing = [...new Map(all.map((one) => [one.name, one])).values()].slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(missing.map(async (one) => ({ ...one, near: await nearTo(place, one) })));
  const told = found.filter(({ near }) => near.length > 0);
  const [first] = told;
  if (first === undefined) return undefined;
  if (missing.length === 1) return didYouMean(first.near);
  return told.map(({ name, near }) => `Instead of ${name}, did you mean ${near.join(' or ')}?`).join(' ');
}

async function nearTo(place: Place, { name, isOfNew }: Missing): Promise<string[]> {
  return isOfNew ? await nearShapes(place, name) : await nearNames(place, { name });
}

function missingIn(operation: Operation, { code, details }: Failed): Missing[] {
  const { name } = operation;
  if (code === 'NOT_FOUND') return typeof name === 'string' ? [{ name, isOfNew: false }] : [];
  if (code !== 'TARGET_NOT_FOUND' || !Array.isArray(details)) return [];
  return details.flatMap(({ path, message }: { path: string; message: string }): Missing[] => {
    if (path === '/name') return typeof name === 'string' ? [{ name, isOfNew: true }] : [];
    // Paths point into the data or, if nothing is there, into the operation: `/about`, `/members/1`.
    const named = [operation.data, operation]
      .map((value) => valueAt(value, path))
      .find((text) => isTold(text, message));
    return typeof named === 'string' ? [{ name: named, isOfNew: false }] : [];
  });
}

const isTold = (text: unknown, message: string) => typeof text === 'string' && message.includes(` ${text}`);

/** One request each. */
const RETRACTED_LOOKED_UP_MAX = 5;
const PAGE_MAX = 500;

/** Warns about remaining references to retracted records. Sends no request if nothing was retracted. */
async function tellStillReferred(opened: RepoSession, { operations }: CommitResult): Promise<void> {
  if (!opened.isFollowed) return;
  const retracted = operations.filter(
    ({ operation, kind, status }) => operation === 'retract' && kind !== 'shape' && status === 'applied',
  );
  for (const { name } of retracted.slice(0, RETRACTED_LOOKED_UP_MAX)) {
    const text = await referredText(opened, name);
    if (text !== undefined) opened.say(text);
  }
}

async function referredText({ repo }: RepoSession, name: string) {
  try {
    const { items, nextCursor } = await repo().things.refs(name, { direction: 'in', limit: PAGE_MAX });
    const count = new Set(items.map(({ durableId }) => durableId)).size;
    if (count === 0) return undefined;
    const least = nextCursor === undefined ? '' : 'At least ';
    const records = count === 1 ? '1 record still refers' : `${count} records still refer`;
    return `${least}${records} to ${name}: cairn thing refs ${shellWord(name)} --direction in`;
  } catch (error) {
    if (error instanceof CairnError) return undefined;
    throw error;
  }
}
