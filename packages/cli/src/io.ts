// What a command may touch of the outside: streams and environment. Tests give their own.
import type { Readable } from 'node:stream';
import type { RetryOptions } from '@cairn/sdk';
import type { Choice } from './profile-choice.ts';

/** By what the system opens pages with. Where that is missing or fails, the person has the address to open it elsewhere. */
export async function openPage(url: string): Promise<void> {
  // Loaded here: few commands open a page, and all would wait for it.
  const { spawn } = await import('node:child_process');
  const [command, ...args] = commandFor(process.platform);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

function commandFor(platform: string): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // Not `start`, which is a word of the shell: an address must not be read by one.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

export interface Io {
  readonly stdin: Readable;
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Onto standard output, and waits until it is taken: for what is too much to be kept. */
  readonly writeOut: (bytes: Uint8Array) => Promise<void>;
  /** Whether what was printed there can be taken away again. */
  readonly stdoutIsTerminal: boolean;
  /** How wide the terminal is that standard output leads to; undefined where it leads to none. */
  readonly stdoutColumns: number | undefined;
  /** How wide the terminal is that standard error leads to; undefined where it leads to none. */
  readonly stderrColumns: number | undefined;
  /** How commands that can go on after a cut try again. */
  readonly retry: RetryOptions;
  /** Where the command is run. */
  readonly folder: string;
  /** As whom it is run, where the system has users by number. */
  readonly userId: number | undefined;
  /** The operating system, as `process.platform` says it. */
  readonly platform: string;
  /** Shows a page to the person at the terminal, where there is a browser; it says nothing when there is none. */
  readonly openPage: (url: string) => void;
  /** Told as whom a client asks: a refusal can be explained by it. */
  readonly onClient?: (choice: Choice) => void;
  /** An empty variable is how many tools spell "not set": it is not in here. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Whether that is how a write failed. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** What a command itself is given. */
export interface CommandIo extends Io {
  /** For a command that did its work, though not all of it went well. */
  readonly setExitCode: (code: number) => void;
}

export const processIo: Io = {
  stdin: process.stdin,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  writeOut: (bytes) =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    }),
  stdoutIsTerminal: process.stdout.isTTY === true,
  stdoutColumns: process.stdout.isTTY ? process.stdout.columns : undefined,
  stderrColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
  retry: {},
  folder: process.cwd(),
  userId: process.getuid?.(),
  platform: process.platform,
  openPage,
  environment: Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== '')),
};

export async function readStdinWhole({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}

/** All of standard input, without the line end that `echo` adds. */
export async function readStdin(io: Io): Promise<string> {
  return (await readStdinWhole(io)).replace(/\r?\n$/, '');
}
