// The `cairn` command, run in this process.
import { Readable } from 'node:stream';
import { runCommand } from '../../packages/cli/src/program.ts';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function cairn(
  args: readonly string[],
  environment: Record<string, string> = {},
  input = '',
): Promise<CommandRun> {
  let stdout = '';
  let stderr = '';
  const code = await runCommand(args, {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    isTerminal: false,
    environment,
  });
  return { code, stdout, stderr };
}
