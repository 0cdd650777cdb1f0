import type { CommitResult } from '@cairn/protocol/commit';
import type { Command } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { parse, parseOperations, readOperations } from '../input.ts';
import type { CommandIo } from '../io.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { wholeNumber } from '../sequence.ts';
import { openSession, repoOf } from '../session.ts';

const COLUMNS = ['repoSeq', 'createdAt', 'createdBy', 'operationCount', 'message'];

export function addCommit(program: Command, io: CommandIo): void {
  const commit = program.command('commit').summary('atomic groups of operations');
  addSubmit(commit, io);
  addReads(commit, io);
}

interface SubmitFlags {
  readonly ops?: string;
  readonly file?: string;
  readonly add?: string;
  readonly revise?: string;
  readonly retract?: string;
  readonly data?: string;
  readonly reason?: string;
  readonly expectedVersion?: number;
  readonly message?: string;
  readonly committer?: string;
  readonly submissionId?: string;
  readonly atomic: boolean;
  readonly skipExisting?: true;
  readonly dryRun?: true;
}

function addSubmit(commit: Command, io: CommandIo): void {
  commit
    .command('submit')
    .summary('write operations; all or none')
    .option('--ops <json>', 'the operations, as a JSON array')
    .option('--file <path>', 'read operations from a .json or .jsonl file; - is standard input')
    .option('--add <name>', 'add one record, with --data')
    .option('--revise <name>', 'revise one record, with --data')
    .option('--retract <name>', 'retract one record')
    .option('--data <json>', 'the data of --add or --revise')
    .option('--reason <text>', 'why, with --retract')
    .option('--expected-version <version>', 'refuse when the record is at another version', wholeNumber)
    .option('--message <text>', 'message of the commit')
    .option('--committer <wref>', 'on whose behalf, such as Agent/bot')
    .option('--submission-id <uuid>', 'makes it safe to send the same commit twice')
    .option('--no-atomic', 'let each operation stand alone; exit code 6 when some failed')
    .option('--skip-existing', 'leave records that exist, instead of refusing')
    .option('--dry-run', 'say what would happen, and write nothing')
    .action(async (flags: SubmitFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const request = { operations: await operationsOf(io, flags), ...optionsOf(flags) };
      const result = await client.commit[flags.dryRun ? 'validate' : 'submit'](orgName, repoName, request);
      print(result);
      if (flags.dryRun) io.stderr('A dry run: nothing was written.\n');
      io.setExitCode(exitCodeOf(result));
    });
}

function exitCodeOf({ operations, partial }: CommitResult): number {
  if (partial) return EXIT.partlyApplied;
  return operations.some(({ status }) => status === 'error') ? EXIT.failed : EXIT.done;
}

async function operationsOf(io: CommandIo, flags: SubmitFlags): Promise<unknown[]> {
  const given = SOURCES.filter((source) => flags[source] !== undefined);
  const [source] = given;
  if (given.length !== 1 || source === undefined) {
    throw new UsageError('Give operations by one of --ops, --file, --add, --revise and --retract.');
  }
  refuseStrayFlags(source, flags);
  if (source === 'ops') return parseOperations(flags.ops ?? '', '--ops');
  return source === 'file' ? await readOperations(io, flags.file ?? '-') : [singleOperation(source, flags)];
}

const SOURCES = ['ops', 'file', 'add', 'revise', 'retract'] as const;
type Source = (typeof SOURCES)[number];

/** Which of the other flags belong to which source: one that would be ignored is a mistake. */
const BELONGS: Readonly<Record<'data' | 'reason' | 'expectedVersion', readonly Source[]>> = {
  data: ['add', 'revise'],
  reason: ['retract'],
  expectedVersion: ['revise', 'retract'],
};

function refuseStrayFlags(source: Source, flags: SubmitFlags): void {
  for (const name of ['data', 'reason', 'expectedVersion'] as const) {
    if (flags[name] === undefined || BELONGS[name].includes(source)) continue;
    const flag = name === 'expectedVersion' ? 'expected-version' : name;
    throw new UsageError(`--${flag} goes with --${BELONGS[name].join(' or --')}, not with --${source}.`);
  }
}

function singleOperation(operation: 'add' | 'revise' | 'retract', flags: SubmitFlags): object {
  const { data, reason, expectedVersion } = flags;
  const name = flags[operation];
  const pin = expectedVersion !== undefined && { expectedVersion };
  if (operation === 'retract') return { operation, name, ...pin, ...(reason !== undefined && { reason }) };
  if (data === undefined) throw new UsageError('Give the data of the record: --data JSON.');
  return { operation, name, data: parse(data, '--data'), ...pin };
}

function optionsOf({ message, committer, submissionId, atomic, skipExisting }: SubmitFlags) {
  return {
    atomic,
    ...(message !== undefined && { message }),
    ...(committer !== undefined && { committer }),
    ...(submissionId !== undefined && { submissionId }),
    ...(skipExisting && { skipExisting }),
  };
}

function addReads(commit: Command, io: CommandIo): void {
  commit
    .command('get')
    .argument('<repo-seq>', 'the sequence of the commit', wholeNumber)
    .summary('show one commit with its operations')
    .action(async (repoSeq: number, _flags: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      print(await client.commit.get(orgName, repoName, repoSeq));
    });
  addPaging(commit.command('log'))
    .summary('list commits, newest first')
    .action(async (flags: PagingFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, printPage } = openSession(io, command);
      printPage(await client.commit.log(orgName, repoName, pagingOf(flags)), COLUMNS);
    });
  commit
    .command('receipt <submission-id>')
    .summary('show what a commit of yours with this id was answered')
    .action(async (submissionId: string, _flags: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      print(await client.commit.receipt(orgName, repoName, submissionId));
    });
}
