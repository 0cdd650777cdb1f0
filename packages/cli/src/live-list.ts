// `--live`: prints a list again whenever one of its records changes.
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { openRepo } from './session.ts';

export interface LiveFlags {
  readonly live?: true;
}

/** The global parser accepts the flag anywhere. This marks the commands that support it. */
export function addLive(command: Command): Command {
  return command.option('--live', 'keep running, and show the list again when it changes');
}

/** Flags that select a fixed state or a page, which cannot be followed. */
const FIXED = ['at', 'cursor', 'count'];

export function refuseLive(command: Command): void {
  const { live }: LiveFlags = command.optsWithGlobals();
  if (!live) return;
  if (!command.options.some(({ long }) => long === '--live')) {
    throw new UsageError(
      '--live works with lists of records, such as cairn thing list --live, and with cairn subscription log.',
    );
  }
  const fixed = FIXED.find((name) => name in command.opts());
  if (fixed !== undefined)
    throw new UsageError(`--live follows the current list and cannot be combined with --${fixed}.`);
}

/** Commits may be faster than anyone reads, and each refresh costs a request. */
const REFRESH_MS = 200;

/** Prints the list. Returns false if it lacks the latest changes. */
type Show = (io: Io) => Promise<boolean>;

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
  // Subscribes before listing, so that no change is lost in between.
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

/** As lines, prints new and changed rows. Otherwise prints everything, on a terminal in place of the old list. */
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
