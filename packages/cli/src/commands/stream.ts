// `cairn stream`: submits any number of operations, line by line, from a file or standard input. The stream resumes
// after an interruption.
import { appendFileSync, createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  CairnError,
  type RefusedStreamLine,
  type StreamedLines,
  type StreamProgress,
  type StreamSource,
} from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { requireFolder } from '../input.ts';
import type { CommandIo } from '../io.ts';
import { failuresIn, jsonRefusal } from '../operation-place.ts';
import { inFlags } from '../output.ts';
import { followed, type Progress } from '../progress.ts';
import { openRepo, printed, type RepoSession, type Session } from '../session.ts';
import { addSkipExisting } from '../submission.ts';
import { tellFields, type Undeclared } from '../undeclared-field.ts';

const LINE_FEED = 0x0a;
/** Large chunks keep the overhead of each read small. */
const READ_BYTES = 256 * 1024;

/** In bytes; undefined for inputs without a size, such as a pipe. */
async function sizeOf(file: string): Promise<number | undefined> {
  const found = await stat(file).catch((error: Error) => {
    throw new UsageError(`Cannot read ${file}: ${error.message}.`);
  });
  if (found.isDirectory()) throw new UsageError(`${file} is a folder. Name a file, or - for standard input.`);
  return found.isFile() ? found.size : undefined;
}

/** `start` is the number of bytes before these lines. */
async function linesAfter(file: string, lineCount: number) {
  const start = lineCount === 0 ? 0 : await endOfLine(file, lineCount);
  return { stream: createReadStream(file, { start, highWaterMark: READ_BYTES }), start };
}

async function endOfLine(file: string, nth: number): Promise<number> {
  let [line, read, endsWithLine] = [0, 0, true];
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      line += 1;
      if (line === nth) return read + at + 1;
    }
    read += chunk.length;
    endsWithLine = chunk.at(-1) === LINE_FEED;
  }
  // The last line may lack a line break.
  if (!endsWithLine) line += 1;
  if (line === nth) return read;
  throw new UsageError(
    `The stream has ${nth} lines already, and ${file} has only ${line}. Is it the file that the stream was started with?`,
  );
}

const reasonsOf = (file: string) => `${file}.reasons`;

interface RefusedFile {
  /** Last line whose refusal is recorded. */
  readonly lastLine: number;
  readonly add: (refused: RefusedStreamLine) => void;
  readonly flush: () => void;
}

/** Creates the files at the first refusal. A resumed stream appends to them. */
function createRefusedFile(file: string, { append }: { append: boolean }): RefusedFile {
  checkTarget(file, append);
  let lines = '';
  let reasons = '';
  return {
    lastLine: append ? lastLineIn(reasonsOf(file)) : 0,
    add: ({ text, ...reason }) => {
      lines += `${text}\n`;
      reasons += `${JSON.stringify(reason)}\n`;
    },
    flush: () => {
      if (lines === '') return;
      appendFileSync(file, lines);
      appendFileSync(reasonsOf(file), reasons);
      [lines, reasons] = ['', ''];
    },
  };
}

function checkTarget(file: string, append: boolean): void {
  requireFolder(file);
  if (append) return;
  for (const path of [file, reasonsOf(file)]) {
    if (!existsSync(path) || statSync(path).size === 0) continue;
    throw new UsageError(`${path} already exists. Name another file for refused lines, or remove it.`);
  }
}

function lastLineIn(reasons: string): number {
  if (!existsSync(reasons)) return 0;
  const last = readFileSync(reasons, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  try {
    const { line } = JSON.parse(last) as { line?: unknown };
    if (typeof line === 'number') return line;
  } catch {}
  throw new UsageError(`${reasons} does not contain the reasons for refused lines. Name another file, or remove it.`);
}

interface SubmitFlags {
  readonly stream?: string;
  readonly refused?: string;
  readonly atomicity?: 'none' | 'chunk';
  readonly skipExisting?: true;
  readonly message?: string;
  readonly committer?: string;
  readonly keepOpen?: true;
}

function addStreamSubmit(stream: Command, io: CommandIo): void {
  const submit = stream
    .command('submit')
    .argument('<file>', 'operations, one per line; - is standard input')
    .summary('submit operations line by line, and resume after interruptions')
    .option('--stream <id>', 'name of the stream; resumes after the lines that it already has')
    .option('--refused <file>', 'write refused lines to this file, and the reasons to FILE.reasons')
    .addOption(
      new Option('--atomicity <how>', 'what a refused operation stops: nothing, or its chunk and the stream').choices([
        'none',
        'chunk',
      ]),
    );
  addSkipExisting(submit)
    .option('--message <text>', 'commit message')
    .option('--committer <wref>', 'the record on whose behalf you commit, such as Agent/bot')
    .option('--keep-open', 'do not close the stream at the end; a stream of --stream stays open anyway')
    .action(async (file: string, flags: SubmitFlags, command: Command) => {
      const session = openRepo(io, command);
      const task = await openTask(session, file, flags);
      const work = (progress: Progress) => submitLines(task, progress);
      const result = await followed({ session, advice: () => adviceOf(task), work });
      session.print(result);
      explainRefused(task, result);
      await tellFields(session, { found: [...task.undeclared.values()] });
      if (result.error > 0) io.setExitCode(EXIT.failed);
    });
}

interface Task {
  readonly session: RepoSession;
  readonly flags: SubmitFlags;
  readonly source: StreamSource;
  /** In bytes; undefined if unknown. */
  readonly size: number | undefined;
  readonly refused: RefusedFile | undefined;
  readonly shown: RefusedStreamLine[];
  readonly undeclared: Map<string, Undeclared>;
  /** Bytes of the file before the first line that is sent. */
  skippedBytes: number;
  streamId: string | undefined;
}

async function openTask(session: RepoSession, file: string, flags: SubmitFlags): Promise<Task> {
  const size = file === '-' ? undefined : await sizeOf(file);
  if (size === 0) session.say(`${file} is empty: there is nothing to submit.`);
  const append = flags.stream !== undefined;
  const task: Task = {
    ...{ session, flags, size, shown: [], undeclared: new Map(), skippedBytes: 0, streamId: undefined },
    refused: flags.refused === undefined ? undefined : createRefusedFile(flags.refused, { append }),
    source:
      file === '-'
        ? session.io.stdin
        : async (offset) => {
            const { stream, start } = await linesAfter(file, offset);
            task.skippedBytes = start;
            return stream;
          },
  };
  return task;
}

async function submitLines(task: Task, progress: Progress): Promise<StreamedLines> {
  const { session, flags, refused } = task;
  const { stream: streamId, atomicity, skipExisting, message, committer, keepOpen } = flags;
  const isTaken = await takesStreams(session);
  try {
    return await session.repo().stream(task.source, {
      ...{ streamId, atomicity, skipExisting, message, committer },
      // Requests refusals that arrived while no process recorded them.
      refusedAfter: refused?.lastLine,
      close: streamId === undefined && !keepOpen,
      onBegin: (id) => {
        task.streamId = id;
        if (isTaken) tellBegin(task, id);
      },
      onRefused: (line) => {
        refused?.add(line);
        if (task.shown.length < SHOWN_MAX) task.shown.push(line);
      },
      onUndeclared: ({ shapeName, path }) => {
        if (task.undeclared.size < UNDECLARED_MAX) task.undeclared.set(`${shapeName} ${path}`, { shapeName, path });
      },
      onProgress: (step) => {
        refused?.flush();
        showProgress(task, progress, step);
      },
    });
  } catch (error) {
    throw inLines(session, withAdvice(task, error));
  }
}

const SHOWN_MAX = 10;
const UNDECLARED_MAX = 100;

/** Checked before suggesting --stream: a repository without streams would refuse it. */
async function takesStreams({ repo, isFollowed }: RepoSession): Promise<boolean> {
  if (!isFollowed) return true;
  return await repo()
    .get()
    .then(
      ({ features }) => features.streamSubmissions,
      // A writer may lack read permission.
      () => true,
    );
}

function tellBegin({ flags, session }: Task, streamId: string): void {
  if (flags.stream !== undefined) return;
  session.say(`Stream ${streamId}. If it is interrupted, run the same command again with --stream ${streamId}`);
}

function showProgress(
  { size, skippedBytes }: Task,
  progress: Progress,
  { offset, bytes, error }: StreamProgress,
): void {
  const doneBytes = bytes + skippedBytes;
  const total = size === undefined || doneBytes === 0 ? undefined : Math.round((offset * size) / doneBytes);
  const note = error === 0 ? undefined : `${error.toLocaleString('en')} refused`;
  progress.show({ what: 'Submitting', done: offset, total, unit: 'lines', note });
}

function adviceOf({ streamId }: Task): string | undefined {
  if (streamId === undefined) return undefined;
  return `All acknowledged lines are stored. To continue after them, run the same command again with --stream ${streamId}.`;
}

/** For errors such as a line that is not JSON: once fixed, the stream resumes. */
function withAdvice(task: Task, error: unknown): unknown {
  const hint = adviceOf(task);
  if (!(error instanceof CairnError) || error.hint !== undefined || hint === undefined) return error;
  if (['NOT_FOUND', 'CONFLICT'].includes(error.code)) return error;
  return new CairnError(error.code, { ...error.fields, hint, cause: error });
}

function inLines({ format }: Session, error: unknown): unknown {
  if (!(error instanceof CairnError) || failuresIn(error.details).length === 0) return error;
  const isForPeople = format === 'pretty';
  return jsonRefusal(error, { isForPeople, placeOf: (line) => `line ${line}`, inPlaces: (message) => message });
}

function explainRefused({ session, flags, shown }: Task, { error }: StreamedLines): void {
  if (error === 0) return;
  for (const { line, code, message } of shown) session.say(`Line ${line}: ${inFlags(message)} (${code})`);
  if (error > shown.length) session.say(`… and ${(error - shown.length).toLocaleString('en')} more refused lines.`);
  const { refused } = flags;
  if (refused === undefined) session.say('To save refused lines for correction, add --refused FILE.');
  else session.say(`The refused lines are in ${refused}, the reasons in ${reasonsOf(refused)}.`);
}

export function addStream(program: Command, io: CommandIo): void {
  const stream = program.command('stream').summary('submit any number of operations, line by line');
  addStreamSubmit(stream, io);
  for (const verb of ['status', 'close'] as const) {
    stream
      .command(`${verb} <stream-id>`)
      .summary(
        verb === 'status'
          ? 'show the state of one of your streams'
          : 'close one of your streams, so that it accepts no more lines',
      )
      .action(printed(io, openRepo, ({ repo }, streamId: string) => repo().streams[verb](streamId)));
  }
}
