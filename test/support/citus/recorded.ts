// Checks the recorded statements of a run against the rules of Citus when the run ends.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkStatements } from './statement-check.ts';
import type { Noted } from './statement-recorder.ts';

export function readRecorded(folder: string): Noted[] {
  const files = globSync('*.ndjson', { cwd: folder });
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  return [...new Set(lines)].filter((line) => line !== '').map((line) => JSON.parse(line) as Noted);
}

export async function checkRecorded(url: string, folder: string): Promise<void> {
  const { count, problems } = await checkStatements(url, readRecorded(folder));
  rmSync(folder, { recursive: true, force: true });
  for (const problem of problems) process.stdout.write(`Against the rules of Citus: a statement ${problem}\n`);
  process.stdout.write(`${count} statements were held against the rules of Citus; ${problems.length} break them.\n`);
  if (problems.length > 0 || count === 0) process.exitCode = 1;
}
