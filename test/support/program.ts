// Programs that must be on the machine, because npm does not provide them.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the first of these programs, in `PATH` or in other folders. */
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
