// What all commands that write a commit share: their flags, how the commit is sent, and what its result means.
import type { CommitResult } from '@cairn/protocol/commit';
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import type { CommandIo } from './io.ts';
import { nearInCommit, withNearInCommit } from './missing-in-commit.ts';
import type { Place } from './near-name.ts';
import { byLine, jsonRefusal, type PlacedOperations, placeOf } from './operation-place.ts';
import { inWords } from './output.ts';
import { wholeNumber } from './sequence.ts';
import { formatOf, openSession, repoOf, type Session } from './session.ts';
import { tellStillReferred } from './still-referred.ts';
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
    .option('--message <text>', 'message of the commit')
    .option('--committer <wref>', 'on whose behalf, such as Agent/bot')
    .option('--submission-id <uuid>', 'makes it safe to send the same commit twice')
    .option('--dry-run', 'say what would happen, and write nothing');
}

export function addSkipExisting(command: Command): Command {
  return command.option('--skip-existing', 'leave records that exist, instead of refusing');
}

export async function submitOperations(io: CommandIo, command: Command, placed: PlacedOperations): Promise<void> {
  const { operations } = placed;
  const { message, committer, submissionId, atomic, skipExisting, dryRun }: SubmissionFlags = command.opts();
  const { orgName, repoName } = repoOf(io, command);
  const session = openSession(io, command);
  const { client, print, say } = session;
  const commit = {
    // What is no object is refused by the server, with its place.
    operations: operations as object[],
    ...{ message, committer, submissionId, atomic, skipExisting },
  };
  const place = { client, orgName, repoName };
  const isForPeople = formatOf(command.optsWithGlobals()) === 'pretty';
  const submitted = client.commit[dryRun ? 'validate' : 'submit'](orgName, repoName, commit);
  const result = await submitted.catch(async (reason: unknown) => {
    const error = await withNearInCommit(place, operations, reason);
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
  await tellNear(session, place, { result, operations });
  await tellUndeclared(session, { orgName, repoName, result, dryRun: dryRun === true });
  await tellStillReferred(session, { orgName, repoName, result });
  if (dryRun) say('A dry run: nothing was written.');
  io.setExitCode(exitCodeOf(result));
}

interface Submitted {
  readonly result: CommitResult;
  readonly operations: readonly unknown[];
}

/** Of operations that stand alone, and failed because a name is not there. */
async function tellNear(session: Session, place: Place, { result, operations }: Submitted): Promise<void> {
  if (!session.isFollowed) return;
  const failed = result.operations.flatMap(({ opIndex: index, error }) => (error ? [{ index, ...error }] : []));
  const hint = await nearInCommit(place, operations, failed);
  if (hint !== undefined) session.say(hint);
}

/** In full: the table has no room for them. */
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

/** The flags of commands that change one record which is there. */
export function addChange(command: Command): Command {
  return addSubmission(
    command.option('--expected-version <version>', 'refuse when the record is at another version', wholeNumber),
  );
}

export function expectationOf({ expectedVersion }: ChangeFlags): ChangeFlags {
  return expectedVersion === undefined ? {} : { expectedVersion };
}

interface RetractFlags extends ChangeFlags {
  readonly reason?: string;
}

export function addRetract(noun: Command, io: CommandIo, kind: 'assertion' | 'collection'): void {
  addChange(noun.command('retract <name>').option('--reason <text>', 'why'))
    .summary(`retract ${kind === 'assertion' ? 'an assertion' : 'a collection'}; its history stays`)
    .action(async (name: string, flags: RetractFlags, command: Command) => {
      const { reason } = flags;
      const given = { ...(reason !== undefined && { reason }), ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ operation: 'retract', kind, name, ...given }] });
    });
}
