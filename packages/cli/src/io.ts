// Everything that a command may access outside: streams and environment. Tests pass their own.
import type { Readable, Writable } from 'node:stream';
import type { RetryOptions } from '@cairn/sdk';
import type { Choice } from './profile-choice.ts';

/** Uses the system's opener. If that is missing or fails, people can open the printed address elsewhere. */
export async function openPage(url: string): Promise<void> {
  // Imported here, because few commands open a page.
  const { spawn } = await import('node:child_process');
  const [command, ...args] = commandFor(process.platform);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

function commandFor(platform: string): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // `start` is part of the shell, which must not interpret the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

export interface Io {
  readonly stdin: Readable;
  /** True if the command can ask a person. */
  readonly isTerminal: boolean;
  /** The stream on which questions are drawn. */
  readonly questions: Writable;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Writes to standard output and waits until the data is consumed, for output too large to buffer. */
  readonly writeOut: (bytes: Uint8Array) => Promise<void>;
  /** True if standard output is a terminal, whose text can be erased. */
  readonly stdoutIsTerminal: boolean;
  /** Width of the terminal on standard output; undefined without one. */
  readonly stdoutColumns: number | undefined;
  /** Width of the terminal on standard error; undefined without one. */
  readonly stderrColumns: number | undefined;
  /** Retries of commands that can resume. */
  readonly retry: RetryOptions;
  readonly folder: string;
  /** User id of the process; undefined on systems without numeric users. */
  readonly userId: number | undefined;
  readonly platform: string;
  /** Opens a page in the browser. Does nothing if there is none. */
  readonly openPage: (url: string) => void;
  /** Called with the identity of each new client, to explain refusals. */
  readonly onClient?: (choice: Choice) => void;
  /** Omits empty variables: many tools use them for "not set". */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

// A reader such as `head` may close the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

export interface CommandIo extends Io {
  /** For commands that succeeded only in part. */
  readonly setExitCode: (code: number) => void;
}

export const processIo: Io = {
  stdin: process.stdin,
  isTerminal: process.stdin.isTTY && process.stderr.isTTY,
  questions: process.stderr,
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

/** Standard input without the final line break, which `echo` adds. */
export async function readStdin(io: Io): Promise<string> {
  return (await readStdinWhole(io)).replace(/\r?\n$/, '');
}
