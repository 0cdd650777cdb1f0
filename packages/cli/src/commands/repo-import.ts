// `cairn repo import`: restores an export into an empty repository, or applies an increment to a copy.
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CairnError, type ImportProgress } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { hinted } from '../near-name.ts';
import { followed, type Progress } from '../progress.ts';
import type { RepoName } from '../repo-choice.ts';
import { openSession, repoOf, type Session } from '../session.ts';

export function addImport(repo: Command, io: Io): void {
  repo
    .command('import')
    .argument('[file]', 'an export; - is standard input')
    .argument('[org/repo]')
    .summary('restore an export into an empty repository, or apply an increment to a copy')
    .option('--abort', 'abort the running import: cairn repo import [ORG/REPO] --abort')
    .action(async (file: string | undefined, given: string | undefined, flags: { abort?: true }, command: Command) => {
      const session = openSession(io, command);
      if (flags.abort) {
        if (given !== undefined) throw new UsageError('--abort takes no file: cairn repo import [ORG/REPO] --abort.');
        return await abort(session, repoOf(io, command, file));
      }
      if (file === undefined) throw new UsageError('Name the export to import: a file, or - for standard input.');
      await importFile(session, repoOf(io, command, given), file);
    });
}

async function abort({ client, print }: Session, { orgName, repoName }: RepoName): Promise<void> {
  await client.repo.abortImport(orgName, repoName);
  print({ repository: `${orgName}/${repoName}`, aborted: true });
}

async function importFile(session: Session, { orgName, repoName }: RepoName, file: string): Promise<void> {
  // A pipe has no size.
  const source = file === '-' ? { stream: session.io.stdin, size: undefined } : await openExport(file);
  const read = { bytes: 0 };
  const advice = () =>
    'The server keeps what was sent. Run the same command again to resume, or discard it with --abort.';
  const work = (progress: Progress) => {
    const onProgress = (step: ImportProgress) => showImport(progress, step, { bytes: read.bytes, of: source.size });
    return session.client.repo.import(orgName, repoName, counted(source.stream, read), { onProgress });
  };
  try {
    session.print(await followed({ session, advice, work }));
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') throw error;
    throw hinted(error, `To import into a new repository, first create it: cairn repo create ${orgName}/${repoName}.`);
  } finally {
    source.stream.destroy();
  }
}

async function openExport(file: string) {
  const handle = await open(file).catch((error: Error) => {
    throw new UsageError(`Cannot read ${file}: ${error.message}.`);
  });
  const { size } = await handle.stat();
  await refuseCut(handle, { file, size });
  return { stream: handle.createReadStream({ start: 0 }), size };
}

const END_BYTES_MAX = 100;

/** Refuses a truncated export before sending any of it. */
async function refuseCut(handle: FileHandle, { file, size }: { file: string; size: number }): Promise<void> {
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(END_BYTES_MAX),
    0,
    END_BYTES_MAX,
    Math.max(0, size - END_BYTES_MAX),
  );
  if (/"type":\s*"end"[^\n]*\s*$/.test(buffer.toString('utf8', 0, bytesRead))) return;
  await handle.close();
  throw new UsageError(
    `${file} is not a complete export: its last line is missing. If the export was interrupted, resume it with cairn repo export --resume.`,
  );
}

async function* counted(source: Readable, read: { bytes: number }): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    read.bytes += chunk.length;
    yield chunk;
  }
}

function showImport(
  progress: Progress,
  { state, rows, totalRows }: ImportProgress,
  { bytes, of }: { bytes: number; of?: number | undefined },
): void {
  if (state === 'checking') progress.show({ what: 'Checking', done: rows, total: totalRows, unit: 'rows' });
  else if (of === undefined) progress.show({ what: 'Sending', done: rows, unit: 'rows' });
  else progress.show({ what: 'Sending', done: bytes, total: of, unit: 'bytes' });
}
