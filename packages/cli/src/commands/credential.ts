// `cairn credential`: secrets for deliveries. Values can be written but never read.
import type { CredentialSet } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addList, listed } from '../flags.ts';
import { type Io, readStdin } from '../io.ts';
import { readSecret } from '../prompt.ts';
import { addOwner, openOwner, printed } from '../session.ts';

const CREDENTIALS = {
  columns: ['name', 'description', 'keys', 'boundOrigin', 'updatedAt', 'unboundAt', 'revokedAt'],
  row: ({ keys, ...set }: CredentialSet) => ({ ...set, keys: keys.map(({ key }) => key).join(' ') }),
};
const AUDIT_COLUMNS = ['action', 'details', 'actor', 'at'];

const KEYS_HELP = `
Keys that deliveries use: WEBHOOK_SIGNING_SECRET (whsec_ and at least 24 bytes in base64), WEBHOOK_BEARER_TOKEN,
WEBHOOK_API_KEY with WEBHOOK_API_KEY_HEADER, WEBHOOK_BASIC_USERNAME with WEBHOOK_BASIC_PASSWORD; for the fallback URL, the
same keys with the prefix FALLBACK_. Other keys are stored, but not sent.`;

export function addCredential(program: Command, io: Io): void {
  const credential = program
    .command('credential')
    .summary('secrets for deliveries: signing keys, tokens, passwords')
    .description('A credential set belongs to a repository, or with --org to an organization.');
  addCreate(credential, io);
  addReads(credential, io);
  addKeys(credential, io);
  addVerbs(credential, io);
}

function addCreate(credential: Command, io: Io): void {
  addOwner(credential.command('create <name>'))
    .summary('create an empty set')
    .option('--description <text>', 'what it is for, at most 2,000 characters')
    .action(
      printed(io, openOwner, ({ client, orgName, repoName }, name: string, { description }: { description?: string }) =>
        client.credential.create(orgName, repoName, name, { description }),
      ),
    );
}

function addReads(credential: Command, io: Io): void {
  addOwner(addList(credential.command('list')))
    .summary('list sets, without their values')
    .action(
      listed(io, openOwner, CREDENTIALS, ({ client, orgName, repoName }, paging) =>
        client.credential.list(orgName, repoName, paging),
      ),
    );
  addOwner(addList(credential.command('audit <name>')))
    .summary('list the history of a set, including every use, newest first')
    .action(
      listed(io, openOwner, { columns: AUDIT_COLUMNS }, ({ client, orgName, repoName }, paging, name: string) =>
        client.credential.audit(orgName, repoName, name, paging),
      ),
    );
}

function addKeys(credential: Command, io: Io): void {
  addOwner(credential.command('set <name> <key...>'))
    .summary('set keys of a set; reads the values from standard input, or asks for them')
    .addHelpText(
      'after',
      `\nFor one key, all of standard input is the value; for several keys, each line is one.\n${KEYS_HELP}`,
    )
    .action(async (name: string, keys: string[], _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openOwner(io, command);
      refuseValues(keys);
      print(await client.credential.setKeys(orgName, repoName, name, await valuesOf(io, keys)));
    });
  addOwner(credential.command('unset <name> <key>'))
    .summary('remove a key from a set')
    .action(
      printed(io, openOwner, ({ client, orgName, repoName }, name: string, key: string) =>
        client.credential.unsetKey(orgName, repoName, name, key),
      ),
    );
}

/** Other processes can see arguments, and shells store them in their history. */
function refuseValues(keys: readonly string[]): void {
  if (!keys.some((key) => key.includes('='))) return;
  throw new UsageError(
    'Give only the names of the keys. Their values are read from standard input, one per line, or asked for.',
  );
}

async function valuesOf(io: Io, keys: readonly string[]): Promise<Record<string, string>> {
  if (io.isTerminal || keys.length === 1) {
    const values: Record<string, string> = {};
    for (const key of keys) values[key] = await readSecret(io, `The value of ${key}`);
    return values;
  }
  const lines = (await readStdin(io)).split(/\r?\n/);
  if (lines.length !== keys.length || lines.includes('')) {
    throw new UsageError(
      `Give ${keys.length} lines on standard input: the values of ${keys.join(', ')}, in this order.`,
    );
  }
  return Object.fromEntries(keys.map((key, index) => [key, lines[index] ?? '']));
}

function addVerbs(credential: Command, io: Io): void {
  for (const [verb, procedure, summary] of [
    ['view', 'get', 'show the keys of a set, without their values'],
    ['revoke', 'revoke', 'permanently erase the values of a set'],
    ['delete', 'delete', 'delete a set that no subscription uses'],
  ] as const) {
    addOwner(credential.command(`${verb} <name>`))
      .summary(summary)
      .action(
        printed(io, openOwner, ({ client, orgName, repoName }, name: string) =>
          client.credential[procedure](orgName, repoName, name),
        ),
      );
  }
}
