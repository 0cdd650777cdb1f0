// Programs that must be on the machine: they are not brought by npm.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where the first of these is, in `PATH` or in other folders. */
export function findProgram(names: readonly string[], folders: readonly string[] = []): string | undefined {
  const { PATH = '' } = process.env;
  return [...PATH.split(delimiter), ...folders]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
