// What all commands that write a commit share: their flags, how the commit is sent, and what its result means.
import type { CommitResult } from '@cairn/protocol/commit';
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import type { CommandIo } from './io.ts';
import { orNear } from './near-name.ts';
import { byLine, type PlacedOperations, placeOf, refusalOfJson } from './operation-place.ts';
import { inWords } from './output.ts';
import { wholeNumber } from './sequence.ts';
import { formatOf, openSession, repoOf } from './session.ts';
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
  const named = { client, orgName, repoName, ...onlyNames(operations) };
  const isForPeople = formatOf(command.optsWithGlobals()) === 'pretty';
  const result = await orNear(named, () =>
    client.commit[dryRun ? 'validate' : 'submit'](orgName, repoName, commit),
  ).catch((error: unknown) => {
    throw isForPeople ? refusalOfJson(error, placed) : error;
  });
  print(result);
  if (isForPeople) explainFailures(io, result, placed);
  await tellUndeclared(session, { orgName, repoName, result, dryRun: dryRun === true });
  if (dryRun) say('A dry run: nothing was written.');
  io.setExitCode(exitCodeOf(result));
}

/** Of several, the refusal says itself which one is not there. */
function onlyNames([first, ...more]: readonly unknown[]): { name: string; mentioned: readonly string[] } {
  if (more.length > 0 || typeof first !== 'object' || first === null) return { name: '', mentioned: [] };
  const { name = '', about, members = [] } = first as Readonly<Record<string, unknown>>;
  const wrefs = [about, ...(Array.isArray(members) ? members : [])].filter((wref) => typeof wref === 'string');
  return { name: typeof name === 'string' ? name : '', mentioned: wrefs.slice(0, MENTIONED_MAX) };
}

const MENTIONED_MAX = 3;

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
