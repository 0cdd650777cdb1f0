// `cairn component register|publish|registry|view|unregister|validate`: an organization's registry, and manifests in
// files.
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MINTED_TOKENS } from '@cairn/protocol/vocabulary';
import type { Component, ManifestProblem, RegisterComponent } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { addList, listed, withFullName } from '../flags.ts';
import { parse, readFile } from '../input.ts';
import type { CommandIo, Io } from '../io.ts';
import { oneLine } from '../look.ts';
import { JsonRefusal } from '../operation-place.ts';
import { pretty } from '../output.ts';
import { openSession, printed } from '../session.ts';

interface FileProblem extends ManifestProblem {
  readonly file: string;
}

interface CheckedManifest {
  /** Unchanged from the files, and sent to the server as it is. */
  readonly manifest: Record<string, unknown>;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
}

function problemLine({ file, path, message }: FileProblem): string {
  return oneLine(path === '' ? `${file}: ${message}` : `${file}: ${path}: ${message}`);
}

/** Checks before the server does, because only the CLI can name the files. */
async function readGoodManifest(io: Io, path: string): Promise<Record<string, unknown>> {
  const { manifest, problems } = await checkManifestFile(io, path);
  if (problems.length === 0) return manifest;
  throw new JsonRefusal('VALIDATION_ERROR', {
    message: `The manifest is invalid, and was not sent: ${problems.map(problemLine).join('; ')}`,
    details: problems,
    hint: `To check it again, with warnings: cairn component validate ${path}`,
  });
}

interface ManifestFile {
  readonly file: string;
  readonly json: Record<string, unknown>;
}

/** Runs the server's own check. It is loaded on demand because loading it takes longer than everything else. */
async function checkManifestFile(io: Io, path: string): Promise<CheckedManifest> {
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
  if (paths.length === 0) throw new UsageError(`${path} contains neither component.json nor manifest.json.`);
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

/** Finds the file that contains the field or, if the field is missing, the first that could. */
function placeIn(files: readonly ManifestFile[], { path, message }: ManifestProblem): FileProblem {
  const [first = ''] = path.split('.');
  // component.json may also contain just the contents of `component`.
  const holds = ({ file, json }: ManifestFile) =>
    Object.hasOwn(json, first) || (first === 'component' && file === 'component.json');
  const holder = files.find(holds) ?? files.at(-1);
  return { file: holder?.file ?? '', path, message };
}

const REGISTRY = {
  columns: ['name', 'description', 'updatedAt', 'version', 'visibility', 'hasSetup'],
  row: withFullName,
};

export function addComponentRegistry(component: Command, io: Io): void {
  addPublications(component, io);
  addRegistry(component, io);
  addView(component, io);
  addUnregister(component, io);
}

interface RegistrationFlags {
  readonly org: string;
  readonly manifest: string;
  readonly setupUrl?: string;
  readonly uninstallUrl?: string;
  readonly allowedCallback?: string[];
  readonly credentialSet?: string;
  readonly mintedTokens?: RegisterComponent['mintedTokens'];
  readonly public?: true;
  readonly private?: true;
}

function addPublications(component: Command, io: Io): void {
  for (const [verb, summary] of [
    ['register', 'register a component of an organization, with its first version'],
    ['publish', 'publish a new version; registration flags that you leave out keep their values'],
  ] as const) {
    addRegistration(component.command(`${verb} <name>`))
      .summary(summary)
      .action(async (name: string, flags: RegistrationFlags, command: Command) => {
        const { client, print, say } = openSession(io, command);
        const manifest = await readGoodManifest(io, flags.manifest);
        const registered = await client.component[verb](flags.org, name, { manifest, ...registrationOf(flags) });
        for (const { path, message } of registered.warnings) say(`Warning: ${path}: ${message}`);
        print(registered, shownComponent(registered));
        say(`Install it: cairn component install ${flags.org}/${name} --repo ORG/REPO`);
      });
  }
}

function addRegistration(command: Command): Command {
  return command
    .requiredOption('--org <org>', 'the organization that it belongs to')
    .requiredOption('--manifest <path>', 'a JSON file, or a folder with component.json and manifest.json')
    .option('--setup-url <url>', 'called at each install and update')
    .option('--uninstall-url <url>', 'called at each teardown')
    .option('--allowed-callback <origin...>', 'further origins that it can be called at')
    .option('--credential-set <name>', 'the credential set of the organization that signs those calls')
    .option('--minted-tokens <kinds>', 'the tokens that a setup call carries: setup,runtime', tokenKinds)
    .addOption(new Option('--public', 'anyone can install it').conflicts('private'))
    .option('--private', 'only members of the organization can install it (default)');
}

function tokenKinds(text: string): NonNullable<RegisterComponent['mintedTokens']> {
  const kinds = text.split(',').filter(Boolean);
  const isKind = (kind: string): kind is (typeof MINTED_TOKENS)[number] =>
    (MINTED_TOKENS as readonly string[]).includes(kind);
  if (!kinds.every(isKind)) throw new InvalidArgumentError(`Write ${MINTED_TOKENS.join(', ')} or both with a comma.`);
  return kinds;
}

function registrationOf(flags: RegistrationFlags): Omit<RegisterComponent, 'manifest'> {
  const { setupUrl, uninstallUrl, allowedCallback: allowedCallbacks, credentialSet, mintedTokens } = flags;
  const visibility = flags.public ? 'public' : flags.private && 'private';
  return { setupUrl, uninstallUrl, allowedCallbacks, credentialSet, mintedTokens, visibility };
}

function addRegistry(component: Command, io: Io): void {
  addList(component.command('registry'))
    .summary('list components that can be installed')
    .option('--org <org>', 'only components of this organization')
    .option('--q <words>', 'only components with all of these words in their name, id or description')
    .action(
      listed(io, openSession, REGISTRY, ({ client }, paging, { org, q }: { org?: string; q?: string }) =>
        client.component.registry({ orgName: org, q, ...paging }),
      ),
    );
}

function addView(component: Command, io: Io): void {
  component
    .command('view <component> [version]')
    .summary('show a component of the registry, ORG/NAME, with its manifest; by default the latest version')
    .action(async (given: string, version: string | undefined, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      const { orgName, name } = parseComponentName(given);
      const viewed = await client.component.view(orgName, name, { version });
      print(viewed, `${shownComponent(viewed)}\nmanifest\n${JSON.stringify(viewed.manifest, null, 2)}`);
    });
}

function addUnregister(component: Command, io: Io): void {
  component
    .command('unregister <component>')
    .summary('remove a component, ORG/NAME, from the registry; it stays where it is installed')
    .action(
      printed(io, openSession, async ({ client }, given: string) => {
        const { orgName, name } = parseComponentName(given);
        return await client.component.unregister(orgName, name);
      }),
    );
}

function shownComponent({ manifest: _, warnings: _warnings, ...component }: Component): string {
  return pretty(component);
}

export function addComponentValidate(component: Command, io: CommandIo): void {
  component
    .command('validate <path>')
    .summary(
      'check a manifest: a JSON file, or a folder with component.json and manifest.json; exits with 1 if it is invalid',
    )
    .action(async (path: string, _flags: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const { manifest: _, problems, warnings } = await checkManifestFile(io, path);
      for (const warning of warnings) say(`Warning: ${problemLine(warning)}`);
      const isValid = problems.length === 0;
      const people = isValid ? `${path} is a valid manifest.` : problems.map(problemLine).join('\n');
      print({ valid: isValid, problems, warnings }, people);
      if (!isValid) io.setExitCode(EXIT.failed);
    });
}

export function parseComponentName(text: string): { readonly orgName: string; readonly name: string } {
  const [orgName, name, rest] = text.split('/');
  if (!orgName || !name || rest !== undefined) {
    throw new UsageError(`${text} is not the name of a component. Write it as ORG/NAME.`);
  }
  return { orgName, name };
}
