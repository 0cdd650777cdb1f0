// Asks a person on a terminal. Questions go to standard error, because standard output is for results.
import { createInterface } from 'node:readline';
import { isCancel, type PasswordOptions, password, text } from '@clack/prompts';
import { UsageError } from './exit-codes.ts';
import { type Io, readStdin } from './io.ts';

export async function ask(io: Io, { message, flag }: { message: string; flag: string }): Promise<string> {
  if (!io.isTerminal) throw new UsageError(`Give ${flag}: there is no terminal to ask on.`);
  return answered(await text({ message, input: io.stdin, output: io.questions }));
}

export async function askSecret(io: Io, secret: PasswordOptions): Promise<string> {
  if (!io.isTerminal) throw new UsageError('Give the password on standard input, with --password-stdin.');
  return answered(await password({ ...secret, input: io.stdin, output: io.questions }));
}

/** The server refuses shorter ones too. */
const NEW_PASSWORD: PasswordOptions = {
  message: 'A new password of at least 12 characters',
  validate: (given = '') => (given.length < 12 ? 'This is too short. Enter at least 12 characters.' : undefined),
  clearOnError: true,
};

/** Asks twice, because the person cannot see what they type. */
export async function askNewPassword(io: Io): Promise<string> {
  for (;;) {
    const given = await askSecret(io, NEW_PASSWORD);
    if ((await askSecret(io, { message: 'The same password again' })) === given) return given;
    io.stderr('The two passwords differ. Enter them again.\n');
  }
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

export async function readPassword(
  io: Io,
  { passwordStdin }: { readonly passwordStdin?: true },
  asked = askNewPassword,
): Promise<string> {
  return passwordStdin ? await readStdin(io) : await asked(io);
}

export async function readSecret(io: Io, message: string): Promise<string> {
  const secret = io.isTerminal ? await askSecret(io, { message }) : await readStdin(io);
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
