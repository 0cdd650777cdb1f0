// `--live`: a list that is shown again whenever something in it has changed.
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { openRepo } from './session.ts';

export interface LiveFlags {
  readonly live?: true;
}

/** The flag may stand anywhere, and belongs to the whole program; this says which commands take it. */
export function addLive(command: Command): Command {
  return command.option('--live', 'go on, and show the list again when it changes');
}

/** What shows one state, or a part of one. */
const FIXED = ['at', 'cursor', 'count'];

export function refuseLive(command: Command): void {
  const { live }: LiveFlags = command.optsWithGlobals();
  if (!live) return;
  if (!command.options.some(({ long }) => long === '--live')) {
    throw new UsageError(
      '--live is for lists of records, such as cairn thing list --live, and for cairn subscription log.',
    );
  }
  const fixed = FIXED.find((name) => name in command.opts());
  if (fixed !== undefined) throw new UsageError(`--live shows the list as it is by then: leave out --${fixed}.`);
}

/** Commits may follow each other faster than anyone reads, and lists cost something. */
const REFRESH_MS = 200;

/** Prints the list as it is, wherever it is told to. False when it does not hold the last changes yet. */
type Show = (io: Io) => Promise<boolean>;

/** Until the command is interrupted, or the right to read is lost. */
export async function followList(io: Io, command: Command, show: Show): Promise<void> {
  const { repo, say, format } = openRepo(io, command);
  const print = createPrinter(io, format === 'jsonl');
  const refresh = async () => {
    for (let isCurrent = false; !isCurrent; ) {
      const now = await printed(io, show);
      print(now);
      ({ isCurrent } = now);
      await pause(REFRESH_MS);
    }
  };
  const ready = Promise.withResolvers<void>();
  // First it is listened, then listed: so that no change can fall between the two.
  const live = repo().live(() => ready.promise.then(refresh), {
    onReady: () => ready.resolve(),
    onCut: ({ message }) => say(`${message} Trying again.`),
  });
  try {
    await Promise.race([ready.promise, live.closed]);
    await refresh();
    await live.closed;
  } finally {
    live.close();
  }
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly isCurrent: boolean;
}

async function printed(io: Io, show: Show): Promise<Printed> {
  let [stdout, stderr] = ['', ''];
  const isCurrent = await show({
    ...io,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { stdout, stderr, isCurrent };
}

const CLEAR_SCREEN = '\u001B[H\u001B[2J';

/** In lines, what is new or has changed; otherwise all of it, in place of what was there where that can be. */
function createPrinter(io: Io, inLines: boolean): (now: Printed) => void {
  let before: Printed | undefined;
  return (now) => {
    if (before !== undefined && before.stdout === now.stdout) return;
    if (inLines) io.stdout(changedLines(before?.stdout ?? '', now.stdout));
    else {
      io.stdout(`${io.stdoutIsTerminal ? CLEAR_SCREEN : ''}${now.stdout}${io.stdoutIsTerminal ? '' : '\n'}`);
      io.stderr(now.stderr);
    }
    before = now;
  };
}

function changedLines(before: string, now: string): string {
  const known = new Set(before.split('\n'));
  return now
    .split('\n')
    .filter((line) => !known.has(line))
    .map((line) => `${line}\n`)
    .join('');
}
