// `cairn component register|publish|registry|view|unregister`: the registry of an organization.
import { MINTED_TOKENS } from '@cairn/protocol/vocabulary';
import type { Component, RegisterComponent } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseComponentName } from '../component-name.ts';
import type { Io } from '../io.ts';
import { readGoodManifest } from '../manifest-file.ts';
import { pretty } from '../output.ts';
import { addList, type ListFlags, type PagingFlags, printList } from '../paging.ts';
import { openSession } from '../session.ts';

const COLUMNS = ['component', 'version', 'visibility', 'hasSetup', 'updatedAt', 'description'];

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
    ['register', 'put a component into the registry of an organization, with its first version'],
    ['publish', 'publish a new version; what is left out of the registration stays'],
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
    .option('--allowed-callback <origin...>', 'a further origin that it may be called at; several are possible')
    .option('--credential-set <name>', "a set of the organization's own, which those calls are signed with")
    .option('--minted-tokens <kinds>', 'which tokens a call of setup carries: setup,runtime', tokenKinds)
    .addOption(new Option('--public', 'anyone can install it').conflicts('private'))
    .option('--private', 'members of the organization alone can install it (default)');
}

function tokenKinds(text: string): NonNullable<RegisterComponent['mintedTokens']> {
  const kinds = text.split(',').filter(Boolean);
  const isKind = (kind: string): kind is (typeof MINTED_TOKENS)[number] =>
    (MINTED_TOKENS as readonly string[]).includes(kind);
  if (!kinds.every(isKind)) throw new InvalidArgumentError(`Write ${MINTED_TOKENS.join(', ')} or both with a comma.`);
  return kinds;
}

function registrationOf(flags: RegistrationFlags): Omit<RegisterComponent, 'manifest'> {
  const { setupUrl, uninstallUrl, allowedCallback, credentialSet, mintedTokens } = flags;
  return {
    ...(setupUrl !== undefined && { setupUrl }),
    ...(uninstallUrl !== undefined && { uninstallUrl }),
    ...(allowedCallback !== undefined && { allowedCallbacks: allowedCallback }),
    ...(credentialSet !== undefined && { credentialSet }),
    ...(mintedTokens !== undefined && { mintedTokens }),
    ...(flags.public && { visibility: 'public' as const }),
    ...(flags.private && { visibility: 'private' as const }),
  };
}

function addRegistry(component: Command, io: Io): void {
  addList(component.command('registry'))
    .summary('list components that can be installed')
    .option('--org <org>', 'those of this organization alone')
    .option('--q <words>', 'those with all of these words in their name, id or description')
    .action(async ({ org, q, ...flags }: ListFlags & { org?: string; q?: string }, command: Command) => {
      const session = openSession(io, command);
      const only = { ...(org !== undefined && { orgName: org }), ...(q !== undefined && { q }) };
      const list = async (paging: PagingFlags) => {
        const page = await session.client.component.registry({ ...only, ...paging });
        return session.format === 'pretty' ? { ...page, items: page.items.map(withFullName) } : page;
      };
      await printList(session, { flags, columns: COLUMNS, list });
    });
}

const withFullName = <Item extends { orgName: string; name: string }>(item: Item) => ({
  ...item,
  component: `${item.orgName}/${item.name}`,
});

function addView(component: Command, io: Io): void {
  component
    .command('view <component> [version]')
    .summary('show a component of the registry, ORG/NAME, with its manifest; by default the latest version')
    .action(async (given: string, version: string | undefined, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      const { orgName, name } = parseComponentName(given);
      const viewed = await client.component.view(orgName, name, version === undefined ? {} : { version });
      print(viewed, `${shownComponent(viewed)}\nmanifest\n${JSON.stringify(viewed.manifest, null, 2)}`);
    });
}

function addUnregister(component: Command, io: Io): void {
  component
    .command('unregister <component>')
    .summary('take a component, ORG/NAME, out of the registry; where it is installed it stays')
    .action(async (given: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      const { orgName, name } = parseComponentName(given);
      print(await client.component.unregister(orgName, name));
    });
}

/** The manifest is long, and shown apart. */
function shownComponent({ manifest: _, warnings: _warnings, ...component }: Component): string {
  return pretty(component);
}
