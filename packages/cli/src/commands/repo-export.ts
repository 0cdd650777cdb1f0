// `cairn repo export`: a repository as NDJSON, into a file or onto standard output.
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import type { ExportedFile, ExportHeader, ExportPart, ExportProgress } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type Io, isClosedPipe } from '../io.ts';
import {
  checkTarget,
  goOnAdvice,
  type LeftOver,
  type OverwriteFlags,
  partOf,
  readLeftHeader,
  readLeftOver,
} from '../part-file.ts';
import { followed, type Progress } from '../progress.ts';
import type { RepoName } from '../repo-name.ts';
import { addAt, wholeNumber } from '../sequence.ts';
import { openSession, repoOf, type Session } from '../session.ts';

interface ExportFlags extends OverwriteFlags {
  readonly since?: number;
  readonly at?: number;
  readonly async?: true;
}

export function addExport(repo: Command, io: Io): void {
  const command = repo
    .command('export')
    .argument('<file>', 'where to write it; - is standard output')
    .argument('[org/repo]')
    .summary('export a repository as NDJSON')
    .option('--since <repo-seq>', 'only what changed after this sequence', wholeNumber);
  addOverwrite(addAt(command))
    .option('--async', 'have the server build a file first, then download it and check its digest')
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

export function addOverwrite(command: Command): Command {
  return command
    .option('--resume', 'go on with what an export that was cut has left in FILE.part')
    .addOption(new Option('--force', 'replace the file, where it is there').conflicts('resume'));
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
    if (flags[flag]) throw new UsageError(`--${flag} needs a file: standard output has no name that it could keep.`);
  }
  try {
    for await (const { lines } of session.client.repo.exportLines(orgName, repoName, pinsOf(flags))) {
      await session.io.writeOut(lines);
    }
  } catch (error) {
    // A reader that has seen enough is no failure.
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

export function showDownload(progress: Progress, { state, bytes, totalBytes }: ExportProgress): void {
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

/** The file says which export it is; flags that say otherwise are a mistake. */
function refuseOtherPins(header: ExportHeader, { since, at }: ExportFlags): void {
  for (const [flag, asked, kept] of [
    ['--since', since, header.sinceRepoSeq],
    ['--at', at, header.atRepoSeq],
  ] as const) {
    if (asked === undefined || asked === kept) continue;
    throw new UsageError(
      `What is left was exported with ${flag} ${kept}. Leave ${flag} out, or begin anew with --force.`,
    );
  }
}

type Received = Pick<LeftOver, 'header' | 'recordCount'>;

/** Writes all that is missing. The file is made when the server begins to answer: what it refuses leaves none. */
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

/** About how many rows there are, for who watches; versions of shapes before the last are not counted. */
function expectRows({ session, name }: ExportTask, { sinceRepoSeq, atRepoSeq }: ExportHeader): { rows?: number } {
  const expected: { rows?: number } = {};
  if (sinceRepoSeq > 0 || !session.isFollowed || session.io.stderrColumns === undefined) return expected;
  session.client.repo.stats(name.orgName, name.repoName, { atRepoSeq }).then(
    ({ counts, retracted }) => {
      expected.rows = Object.values(counts).reduce((sum, count) => sum + count, retracted);
    },
    // Nothing depends on it.
    () => {},
  );
  return expected;
}
