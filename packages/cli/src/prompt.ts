// Asks a person on a terminal. Questions go to standard error, because standard output is for results.
import { createInterface } from 'node:readline';
import { isCancel, password, text } from '@clack/prompts';
import { UsageError } from './exit-codes.ts';
import { type Io, readStdin } from './io.ts';

export async function ask(io: Io, { message, flag }: { message: string; flag: string }): Promise<string> {
  if (!io.isTerminal) throw new UsageError(`Give ${flag}: there is no terminal to ask on.`);
  return answered(await text({ message, output: process.stderr }));
}

export async function askSecret(io: Io, message: string): Promise<string> {
  if (!io.isTerminal) throw new UsageError('Give the password on standard input, with --password-stdin.');
  return answered(await password({ message, output: process.stderr }));
}

/** Empty if the person ends the input. */
export async function askLine(io: Io, question: string): Promise<string> {
  io.stderr(question);
  const lines = createInterface({ input: io.stdin });
  try {
    for await (const line of lines) return line;
    io.stderr('\n');
    return '';
  } finally {
    lines.close();
  }
}

interface SecretSource {
  readonly passwordStdin?: true | undefined;
  readonly message: string;
}

export async function readPassword(io: Io, { passwordStdin, message }: SecretSource): Promise<string> {
  return passwordStdin ? await readStdin(io) : await askSecret(io, message);
}

export async function readSecret(io: Io, message: string): Promise<string> {
  const secret = io.isTerminal ? answered(await password({ message, output: process.stderr })) : await readStdin(io);
  if (secret === '') throw new UsageError(`${message} is empty. Give it on standard input.`);
  return secret;
}

function answered(answer: string | symbol): string {
  if (isCancel(answer) || typeof answer !== 'string') throw new UsageError('Nothing was done.');
  return answer;
}

/** Server of a complete link; otherwise the command's server. */
export function serverOf(given: string, url: string): string {
  const link = URL.parse(given);
  return link === null || !link.searchParams.has('code') ? url : link.href.replace(/\/auth\/.*$/, '');
}
