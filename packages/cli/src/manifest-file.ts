// A manifest in a folder or a file, and what is wrong with it, by file and place.
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ManifestProblem } from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';
import { parse, readFile } from './input.ts';
import type { Io } from './io.ts';
import { JsonRefusal } from './operation-place.ts';
import { oneLine } from './shown.ts';

export interface FileProblem extends ManifestProblem {
  readonly file: string;
}

export interface CheckedManifest {
  /** As it stands in the files; the server is sent this. */
  readonly manifest: Record<string, unknown>;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

export function problemLine({ file, path, message }: FileProblem): string {
  return oneLine(path === '' ? `${file}: ${message}` : `${file}: ${path}: ${message}`);
}

/** For the server, which would refuse it too, though without naming files. */
export async function readGoodManifest(io: Io, path: string): Promise<Record<string, unknown>> {
  const { manifest, problems } = await checkManifestFile(io, path);
  if (problems.length === 0) return manifest;
  throw new JsonRefusal('VALIDATION_ERROR', {
    message: `The manifest is not good, and was not sent: ${problems.map(problemLine).join('; ')}`,
    details: problems,
    hint: `cairn component validate ${path} shows the same, and warnings.`,
  });
}

interface ManifestFile {
  readonly file: string;
  readonly json: Record<string, unknown>;
}

/** Complete without a server: the same code checks there. It is loaded when it is needed, for it takes longer than all the rest. */
export async function checkManifestFile(io: Io, path: string): Promise<CheckedManifest> {
  const files = await manifestFiles(io, path);
  const { checkManifest, joinManifest } = await import('@cairn/server/admin');
  const [one, other] = files;
  const joined = joinManifest(one?.json, other?.json ?? {});
  const { problems, warnings } = checkManifest(joined.json);
  const placed = (found: readonly ManifestProblem[]) => found.map((problem) => placeIn(files, problem));
  const manifest = joined.json as Record<string, unknown>;
  return { manifest, problems: placed([...joined.problems, ...problems]), warnings: placed(warnings) };
}

const FILE_NAMES = ['component.json', 'manifest.json'];

async function manifestFiles(io: Io, path: string): Promise<ManifestFile[]> {
  const paths = isFolder(path) ? FILE_NAMES.map((name) => join(path, name)).filter(isThere) : [path];
  if (paths.length === 0) throw new UsageError(`${path} holds neither component.json nor manifest.json.`);
  return await Promise.all(paths.map(async (file) => ({ file: basename(file), json: await readObject(io, file) })));
}

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

async function readObject(io: Io, file: string): Promise<Record<string, unknown>> {
  const json = parse(await readFile(io, file), `The file ${file}`);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new UsageError(`The file ${file} is not a manifest: write { "component": { ... }, ... }.`);
  }
  return json as Record<string, unknown>;
}

/** Where a problem is: in the file that has the field, and of a field that is missing in the first that could. */
function placeIn(files: readonly ManifestFile[], { path, message }: ManifestProblem): FileProblem {
  const [first = ''] = path.split('.');
  // component.json may also be what stands under `component` alone.
  const holds = ({ file, json }: ManifestFile) =>
    Object.hasOwn(json, first) || (first === 'component' && file === 'component.json');
  const holder = files.find(holds) ?? files.at(-1);
  return { file: holder?.file ?? '', path, message };
}
