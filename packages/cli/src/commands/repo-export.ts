// `cairn repo export` and `cairn repo checkpoint`: exports a repository as NDJSON into a file or to standard output,
// and manages exports that the server stores by name. A file is called FILE.part until it is complete, so that FILE is
// never truncated.
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, open, rename, stat, truncate } from 'node:fs/promises';
import type { ExportedFile, ExportHeader, ExportPart, ExportPosition, ExportProgress, ExportRow } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type AtFlags, addAt, addPaging, listed, sequenceFlagsOf, wholeNumber } from '../flags.ts';
import { requireFolder } from '../input.ts';
import { type Io, isClosedPipe } from '../io.ts';
import { followed, type Progress } from '../progress.ts';
import type { RepoName } from '../repo-choice.ts';
import { openRepo, openSession, printed, repoOf, type Session } from '../session.ts';

const partOf = (file: string) => `${file}.part`;

interface OverwriteFlags {
  readonly resume?: true;
  readonly force?: true;
}

function checkTarget(file: string, { resume, force }: OverwriteFlags): void {
  requireFolder(file);
  if (force) return;
  if (existsSync(file)) throw new UsageError(`${file} already exists. Name another file, or replace it with --force.`);
  if (!resume && existsSync(partOf(file))) {
    throw new UsageError(
      `${partOf(file)} is left from an interrupted export. Resume that with --resume, or start over with --force.`,
    );
  }
}

function goOnAdvice(file: string): string | undefined {
  if (!existsSync(partOf(file))) return undefined;
  return `${partOf(file)} contains what was received. To continue, run the same command again with --resume.`;
}

interface LeftOver {
  readonly header: ExportHeader;
  readonly recordCount: number;
  /** Undefined if no row was written yet. */
  readonly position: ExportPosition | undefined;
  readonly isWhole: boolean;
}

const LINE_FEED = 0x0a;

async function readLeftOver(file: string): Promise<LeftOver | undefined> {
  const part = partOf(file);
  if (!existsSync(part)) return undefined;
  const { count, firstEnd, lastBegin, lastEnd } = await lineEndsIn(part);
  if (count === 0) return undefined;
  await using handle = await open(part);
  const header = await readLine<ExportHeader>(handle, { begin: 0, end: firstEnd });
  const last = await readLine<ExportRow | ExportHeader | { type: 'end' }>(handle, { begin: lastBegin, end: lastEnd });
  if (header?.type !== 'header' || last === undefined) {
    throw new UsageError(`${part} is not an export. Start over with --force.`);
  }
  await truncate(part, lastEnd);
  const isWhole = last.type === 'end';
  const recordCount = count - (isWhole ? 2 : 1);
  const position = last.type === 'record' ? positionAfter(header, last, recordCount) : undefined;
  return { header, recordCount, position, isWhole };
}

const HEADER_BYTES_MAX = 4_096;

async function readLeftHeader(file: string): Promise<ExportHeader | undefined> {
  if (!existsSync(partOf(file))) return undefined;
  await using handle = await open(partOf(file));
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED);
  return end === -1 ? undefined : await readLine<ExportHeader>(handle, { begin: 0, end });
}

function positionAfter(header: ExportHeader, last: ExportRow, recordCount: number): ExportPosition {
  const { atRepoSeq, formatVersion } = header;
  const afterVersion = last.kind === 'shape' ? last.version : undefined;
  return { atRepoSeq, formatVersion, afterDurableId: last.durableId, afterVersion, recordCount };
}

async function lineEndsIn(path: string) {
  const found = { count: 0, firstEnd: 0, lastBegin: 0, lastEnd: 0 };
  let offset = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      [found.lastBegin, found.lastEnd] = [found.lastEnd, offset + at + 1];
      found.count += 1;
      if (found.count === 1) found.firstEnd = found.lastEnd;
    }
    offset += chunk.length;
  }
  return found;
}

async function readLine<Line>(handle: FileHandle, { begin, end }: { begin: number; end: number }) {
  const { buffer } = await handle.read(Buffer.alloc(end - begin), 0, end - begin, begin);
  try {
    return JSON.parse(buffer.toString('utf8')) as Line;
  } catch {
    return undefined;
  }
}

interface ExportFlags extends OverwriteFlags {
  readonly since?: number;
  readonly at?: number;
  readonly async?: true;
}

export function addExport(repo: Command, io: Io): void {
  const command = repo
    .command('export')
    .argument('<file>', 'file to write; - is standard output')
    .argument('[org/repo]')
    .summary('export a repository as NDJSON')
    .option('--since <repo-seq>', 'only what changed after this sequence', wholeNumber);
  addOverwrite(addAt(command))
    .option('--async', 'let the server build a file first, then download it and check its digest')
    .action(async (file: string, given: string | undefined, flags: ExportFlags, asked: Command) => {
      const name = repoOf(io, asked, given);
      const session = openSession(io, asked);
      if (file === '-') return await exportToStdout(session, name, flags);
      checkTarget(file, flags);
      const exporting = flags.async ? exportByJob : exportByStream;
      const work = (progress: Progress) => exporting({ session, name, file, progress }, flags);
      session.print(await followed({ session, advice: () => goOnAdvice(file), work }));
    });
}

function addOverwrite(command: Command): Command {
  return command
    .option('--resume', 'resume an interrupted export, whose rows are in FILE.part')
    .addOption(new Option('--force', 'replace an existing file').conflicts('resume'));
}

interface ExportTask {
  readonly session: Session;
  readonly name: RepoName;
  readonly file: string;
  readonly progress: Progress;
}

const pinsOf = ({ since, at }: ExportFlags) => ({ sinceRepoSeq: since, atRepoSeq: at });

async function exportToStdout(session: Session, { orgName, repoName }: RepoName, flags: ExportFlags): Promise<void> {
  for (const flag of ['async', 'resume', 'force'] as const) {
    if (flags[flag]) throw new UsageError(`--${flag} needs a file, and does not work with standard output.`);
  }
  try {
    for await (const { lines } of session.client.repo.exportLines(orgName, repoName, pinsOf(flags))) {
      await session.io.writeOut(lines);
    }
  } catch (error) {
    // A reader may close the pipe early; that is not a failure.
    if (!isClosedPipe(error)) throw error;
  }
}

async function exportByJob({ session, name, file, progress }: ExportTask, flags: ExportFlags): Promise<ExportedFile> {
  const { orgName, repoName } = name;
  const { resume } = flags;
  const left = resume ? await readLeftHeader(file) : undefined;
  if (left !== undefined) refuseOtherPins(left, flags);
  const onProgress = (step: ExportProgress) => showDownload(progress, step);
  return await session.client.repo.exportToFile(orgName, repoName, file, { ...pinsOf(flags), resume, onProgress });
}

function showDownload(progress: Progress, { state, bytes, totalBytes }: ExportProgress): void {
  const what = { pending: 'Waiting', running: 'Building', downloading: 'Downloading' }[state];
  progress.show({ what, done: bytes, total: totalBytes, unit: 'bytes' });
}

async function exportByStream(task: ExportTask, flags: ExportFlags): Promise<object> {
  const { file } = task;
  const left = flags.resume ? await readLeftOver(file) : undefined;
  if (left !== undefined) refuseOtherPins(left.header, flags);
  const { header, recordCount } = left?.isWhole ? left : await receive(task, left, flags);
  await rename(partOf(file), file);
  const { size: bytes } = await stat(file);
  const { sinceRepoSeq, atRepoSeq } = header;
  return { path: file, bytes, sinceRepoSeq, atRepoSeq, recordCount };
}

function refuseOtherPins(header: ExportHeader, { since, at }: ExportFlags): void {
  for (const [flag, asked, kept] of [
    ['--since', since, header.sinceRepoSeq],
    ['--at', at, header.atRepoSeq],
  ] as const) {
    if (asked === undefined || asked === kept) continue;
    throw new UsageError(`The interrupted export used ${flag} ${kept}. Leave ${flag} out, or start over with --force.`);
  }
}

type Received = Pick<LeftOver, 'header' | 'recordCount'>;

/** Creates the file when the answer begins, so that a refusal leaves no file. */
async function receive(task: ExportTask, left: LeftOver | undefined, flags: ExportFlags): Promise<Received> {
  const { session, name, file } = task;
  const { sinceRepoSeq, atRepoSeq } = left?.header ?? pinsOf(flags);
  const resume = left?.position;
  const options = { sinceRepoSeq, atRepoSeq, resume };
  const parts = session.client.repo.exportLines(name.orgName, name.repoName, options);
  const first = await parts.next();
  if (first.done || first.value.type !== 'header') throw new Error('An export begins with its header.');
  const { header, lines } = first.value;
  await using handle = await open(partOf(file), resume === undefined ? 'w' : 'a');
  await handle.appendFile(lines);
  const recordCount = await writeRows(task, handle, { parts, before: resume?.recordCount ?? 0, header });
  await handle.sync();
  return { header, recordCount };
}

interface Rows {
  readonly parts: AsyncIterable<ExportPart>;
  readonly before: number;
  readonly header: ExportHeader;
}

async function writeRows(task: ExportTask, handle: FileHandle, { parts, before, header }: Rows): Promise<number> {
  const expected = expectRows(task, header);
  let done = before;
  for await (const part of parts) {
    await handle.appendFile(part.lines);
    if (part.type === 'rows') done += part.count;
    task.progress.show({ what: 'Exporting', done, total: expected.rows, unit: 'rows' });
  }
  return done;
}

/** Estimates the number of rows for the progress line; earlier versions of shapes are not counted. */
function expectRows({ session, name }: ExportTask, { sinceRepoSeq, atRepoSeq }: ExportHeader): { rows?: number } {
  const expected: { rows?: number } = {};
  if (sinceRepoSeq > 0 || !session.isFollowed || session.io.stderrColumns === undefined) return expected;
  session.client.repo.stats(name.orgName, name.repoName, { atRepoSeq }).then(
    ({ counts, retracted }) => {
      expected.rows = Object.values(counts).reduce((sum, count) => sum + count, retracted);
    },
    () => {},
  );
  return expected;
}

const CHECKPOINT_COLUMNS = ['name', 'description', 'state', 'createdBy', 'createdAt', 'recordCount', 'atRepoSeq'];

export function addCheckpoint(repo: Command, io: Io): void {
  const checkpoint = repo.command('checkpoint').summary('named exports that the server stores');
  addCreate(checkpoint, io);
  addPaging(checkpoint.command('list [org/repo]'))
    .summary('list the checkpoints of a repository')
    .action(
      listed(io, openRepo, { columns: CHECKPOINT_COLUMNS }, (opened, paging) => opened.repo().checkpoints(paging)),
    );
  addGet(checkpoint, io);
  checkpoint
    .command('delete <name> [org/repo]')
    .summary('delete a checkpoint and its file')
    .action(printed(io, openRepo, (opened, name: string) => opened.repo().deleteCheckpoint(name)));
}

function addCreate(checkpoint: Command, io: Io): void {
  addAt(checkpoint.command('create <name> [org/repo]'))
    .summary('create a checkpoint of a repository')
    .option('--description <text>', 'what it is for, at most 2,000 characters')
    .action(
      printed(io, openRepo, (opened, name: string, _: string | undefined, flags: AtFlags & { description?: string }) =>
        opened.repo().createCheckpoint(name, { ...sequenceFlagsOf(flags), description: flags.description }),
      ),
    );
}

function addGet(checkpoint: Command, io: Io): void {
  addOverwrite(checkpoint.command('get <name> <file> [org/repo]'))
    .summary('download a checkpoint, and check its digest')
    .action(async (name: string, file: string, _: string | undefined, flags: OverwriteFlags, command: Command) => {
      const session = openRepo(io, command);
      checkTarget(file, flags);
      const { resume } = flags;
      const work = (progress: Progress) =>
        session.repo().checkpointToFile(name, file, { resume, onProgress: (step) => showDownload(progress, step) });
      session.print(await followed({ session, advice: () => goOnAdvice(file), work }));
    });
}
