// `cairn commit`: atomic groups of operations from flags, a file or standard input.
import { extname } from 'node:path';
import { COLLECTION_TYPE_OF } from '@cairn/model/collection';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type AtFlags, addAt, addPaging, listed, sequenceFlagsOf, wholeNumber } from '../flags.ts';
import { fileNamedBy, JSON_WAYS, nameOf, parse, readFile, readJsonFlag } from '../input.ts';
import type { CommandIo, Io } from '../io.ts';
import { shellWord } from '../look.ts';
import type { PlacedOperations } from '../operation-place.ts';
import { openRepo, printed } from '../session.ts';
import { addSkipExisting, addSubmission, type ChangeFlags, expectationOf, submitOperations } from '../submission.ts';

const COMMIT_COLUMNS = ['repoSeq', 'message', 'committerWref', 'createdBy', 'createdAt', 'operationCount'];

export function addCommit(program: Command, io: CommandIo): void {
  const commit = program.command('commit').summary('atomic groups of operations');
  addSubmit(commit, io);
  addReads(commit, io);
}

interface SubmitFlags extends ChangeFlags {
  readonly ops?: string;
  readonly file?: string;
  readonly add?: string;
  readonly revise?: string;
  readonly retract?: string;
  readonly rename?: string;
  readonly data?: string;
  readonly about?: string;
  readonly reason?: string;
  readonly newName?: string;
}

function addSubmit(commit: Command, io: CommandIo): void {
  const submit = commit
    .command('submit')
    .summary('write operations; all or none')
    .option('--ops <json>', `the operations, as a JSON array; ${JSON_WAYS}`)
    .option('--file <path>', 'read operations from a .json or .jsonl file; - is standard input')
    .option('--add <name>', 'add one record, with --data')
    .option('--revise <name>', 'revise one record, with --data')
    .option('--retract <name>', 'retract one record')
    .option('--rename <name>', 'rename one record, with --new-name')
    .option('--data <json>', `the data of --add or --revise; ${JSON_WAYS}`)
    .option('--about <wref>', 'the record that the assertion is about, with --add')
    .option('--reason <text>', 'reason, with --retract')
    .option('--new-name <name>', 'the full new name, with --rename')
    .option('--expected-version <version>', 'fail if the record is at another version', wholeNumber)
    .option('--no-atomic', 'apply each operation on its own; exit code 6 if some of them fail');
  addSubmission(addSkipExisting(submit)).action(async (flags: SubmitFlags, command: Command) => {
    await submitOperations(io, command, await operationsOf(io, flags));
  });
}

async function operationsOf(io: CommandIo, flags: SubmitFlags): Promise<PlacedOperations> {
  const given = SOURCES.filter((source) => flags[source] !== undefined);
  const [source] = given;
  if (given.length !== 1 || source === undefined) {
    if (given.includes('file') && (given.includes('add') || given.includes('revise')))
      throw new UsageError(DATA_OF_FILE);
    throw new UsageError('Give operations with one of --ops, --file, --add, --revise, --retract and --rename.');
  }
  refuseStrayFlags(source, flags);
  if (source === 'ops') return await readOperationFlag(io, flags.ops ?? '');
  if (source === 'file') return await readOperations(io, flags.file ?? '-');
  return { operations: [await singleOperation(io, source, flags)] };
}

const DATA_OF_FILE =
  '--file takes whole operations and cannot be combined with --add or --revise. To read the data of one record: --data @FILE, or --data -.';

const SOURCES = ['ops', 'file', 'add', 'revise', 'retract', 'rename'] as const;
type Source = (typeof SOURCES)[number];

/** Flags by the sources that use them. Other combinations are refused instead of ignored. */
const BELONGING: readonly { name: keyof SubmitFlags; flag: string; to: readonly Source[] }[] = [
  { name: 'data', flag: '--data', to: ['add', 'revise'] },
  { name: 'about', flag: '--about', to: ['add'] },
  { name: 'reason', flag: '--reason', to: ['retract'] },
  { name: 'newName', flag: '--new-name', to: ['rename'] },
  { name: 'expectedVersion', flag: '--expected-version', to: ['revise', 'retract', 'rename'] },
];

function refuseStrayFlags(source: Source, flags: SubmitFlags): void {
  const stray = BELONGING.find(({ name, to }) => flags[name] !== undefined && !to.includes(source));
  if (stray === undefined) return;
  throw new UsageError(`${stray.flag} goes with --${stray.to.join(' or --')}, not with --${source}.`);
}

type SingleSource = Exclude<Source, 'ops' | 'file'>;

async function singleOperation(io: CommandIo, operation: SingleSource, flags: SubmitFlags): Promise<object> {
  if (operation === 'add') refuseCollection(flags.add ?? '');
  const content = await contentOf(io, operation, flags);
  return { operation, name: flags[operation], ...content, ...expectationOf(flags) };
}

/** A collection has members instead of data, and this command has no flag for them. */
function refuseCollection(name: string): void {
  const [shape = '', ...local] = name.split('/');
  const type = COLLECTION_TYPE_OF.get(shape);
  if (type === undefined || local.length === 0) return;
  const flags = `--type ${type} --name ${shellWord(local.join('/'))} --member WREF --member WREF`;
  throw new UsageError(
    `${name} is a collection, which has members and no data. To add it: cairn collection add ${flags}`,
  );
}

async function contentOf(
  io: CommandIo,
  operation: SingleSource,
  { data, about, reason, newName }: SubmitFlags,
): Promise<object> {
  if (operation === 'retract') return reason === undefined ? {} : { reason };
  if (operation === 'rename') {
    if (newName === undefined) throw new UsageError('Give the new name of the record: --new-name NAME.');
    return { newName };
  }
  if (data === undefined) throw new UsageError('Give the data of the record: --data JSON, or --data @FILE.');
  return { data: await readJsonFlag(io, data, '--data'), ...(about !== undefined && { about }) };
}

function addReads(commit: Command, io: CommandIo): void {
  commit
    .command('get')
    .argument('<repo-seq>', 'sequence number of the commit', wholeNumber)
    .summary('show a commit with its operations')
    .action(printed(io, openRepo, ({ repo }, repoSeq: number) => repo().commits.get(repoSeq)));
  addPaging(addAt(commit.command('log')))
    .summary('list commits, newest first')
    .action(
      listed(io, openRepo, { columns: COMMIT_COLUMNS }, ({ repo }, paging, flags: AtFlags) =>
        repo().commits.log({ ...paging, ...sequenceFlagsOf(flags) }),
      ),
    );
  commit
    .command('receipt <submission-id>')
    .summary('show the result of a commit that you sent with this submission id')
    .action(printed(io, openRepo, ({ repo }, submissionId: string) => repo().commits.receipt(submissionId)));
}

/** `--ops` takes a list. Like other JSON flags, it can also name a file. */
async function readOperationFlag(io: Io, text: string): Promise<PlacedOperations> {
  const file = fileNamedBy(text);
  return file === undefined ? whole(text, '--ops') : await readOperations(io, file);
}

async function readOperations(io: Io, file: string): Promise<PlacedOperations> {
  const text = await readFile(io, file);
  return hasLines(text, file) ? lineByLine(text, file) : whole(text, nameOf(file));
}

/** Decides by the file name, else by the text: a list begins with `[`, and JSON lines are valid on the first line. */
function hasLines(text: string, file: string): boolean {
  if (['.jsonl', '.ndjson'].includes(extname(file))) return true;
  const [first = '', ...more] = text.trim().split('\n');
  if (first.startsWith('[')) return false;
  if (more.length === 0) return !isCommit(jsonIn(first));
  // If both lines are broken, treat the file as lines, so that the error names the first.
  return jsonIn(first) !== undefined || jsonIn(more[0] ?? '') !== undefined || !first.startsWith('{');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lineByLine(text: string, file: string): PlacedOperations {
  const filled = text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '');
  return {
    operations: filled.map(({ line, number }) => parse(line, `Line ${number} of ${placeOf(file)}`)),
    lines: filled.map(({ number }) => number),
    isJson: true,
  };
}

const placeOf = (file: string) => (file === '-' ? 'standard input' : file);

function whole(text: string, place: string): PlacedOperations {
  return { operations: listOf(parse(text, place), place), isJson: true };
}

const isCommit = (value: unknown): value is { operations: unknown[] } =>
  typeof value === 'object' && value !== null && 'operations' in value && Array.isArray(value.operations);

function listOf(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isCommit(value)) {
    if (isOperation(value)) return [value];
    throw new UsageError(`${place} is not a list of operations: write [{ ... }].`);
  }
  const [other] = Object.keys(value).filter((key) => key !== 'operations');
  if (other === undefined) return value.operations;
  throw new UsageError(
    `${place} has ${JSON.stringify(other)} besides its operations. Use a flag for that: see cairn commit submit --help.`,
  );
}

const isOperation = (value: unknown) => typeof value === 'object' && value !== null && 'name' in value;
