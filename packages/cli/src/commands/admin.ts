// Commands for the server's own machine. They open the database of CAIRN_DATA or CAIRN_DATABASE_URL directly.
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type CommandIo, readStdin } from '../io.ts';
import { parseLifetime, parseScope, SCOPES_HELP } from '../scope.ts';
import { openSession, printed } from '../session.ts';
import { addBackup, addDistribute, addPurge, addRestore, addVerify } from './admin-data.ts';

/** Loaded on demand: it takes longer to load than everything else. */
const server = () => import('@cairn/server/admin');

export function addAdmin(program: Command, io: CommandIo): void {
  const admin = program
    .command('admin')
    .summary("work on the server's own machine")
    .description(
      'Works straight on the database that CAIRN_DATA or CAIRN_DATABASE_URL names, whether the server runs or not.',
    );
  addCreateUser(admin, io);
  addCreateToken(admin, io);
  addTokens(admin, io);
  addActivation(admin, io);
  addResetPassword(admin, io);
  addRotateSecret(admin, io);
  addRotateSigningKey(admin, io);
  addBackup(admin, io);
  addRestore(admin, io);
  addDistribute(admin, io);
  addVerify(admin, io);
  addPurge(admin, io);
}

function addCreateUser(admin: Command, io: CommandIo): void {
  admin
    .command('create-user')
    .summary('create an account')
    .requiredOption('--email <email>', 'email address, to sign in with')
    .option('--name <name>', 'handle; by default made from the email address')
    .option('--owner', 'make the account an operator of the server')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: { email: string; name?: string; owner?: true; passwordStdin?: true }, command: Command) => {
      if (!options.passwordStdin) throw new UsageError('Give the password on standard input, with --password-stdin.');
      const password = await readStdin(io);
      const { createUser } = await server();
      const { email, name, owner = false } = options;
      openSession(io, command).print(await createUser({ email, name, owner, password }));
    });
}

interface TokenFlags {
  readonly email: string;
  readonly name: string;
  readonly scope: string[];
  readonly expires?: string;
}

function addCreateToken(admin: Command, io: CommandIo): void {
  admin
    .command('create-token')
    .summary('create a personal access token')
    .requiredOption('--email <email>', 'whose token it is')
    .requiredOption('--name <name>', 'name of the token')
    .requiredOption('--scope <scope...>', '[ORG[/REPO]=]PERMISSION[,PERMISSION] or [ORG[/REPO]=]role:ROLE')
    .option('--expires <time>', 'when it ends, such as 90d (default: 30d)')
    .addHelpText('after', SCOPES_HELP)
    .action(
      printed(io, openSession, async (_, { email, name, scope, expires }: TokenFlags) => {
        const scopes = scope.map(parseScope);
        const lifetimeMs = expires === undefined ? undefined : parseLifetime(expires);
        return await (await server()).createUserToken({ email, name, scopes, lifetimeMs });
      }),
    );
}

const TOKEN_COLUMNS = ['name', 'scopes', 'createdBy', 'expiresAt', 'lastUsedAt', 'revokedAt'];

function addTokens(admin: Command, io: CommandIo): void {
  admin
    .command('list-tokens')
    .summary('list the tokens of an account')
    .requiredOption('--email <email>', 'whose tokens they are')
    .action(async ({ email }: { email: string }, command: Command) => {
      openSession(io, command).printPage(await (await server()).listUserTokens(email), TOKEN_COLUMNS);
    });
  admin
    .command('revoke-token')
    .summary('end a token of an account, and all that descend from it')
    .requiredOption('--email <email>', 'whose token it is')
    .requiredOption('--name <name>', 'name of the token')
    .action(
      printed(io, openSession, async (_, { email, name }: { email: string; name: string }) =>
        (await server()).revokeUserToken({ email, name }),
      ),
    );
}

function addActivation(admin: Command, io: CommandIo): void {
  for (const [verb, active, summary] of [
    ['deactivate-user', false, 'stop everything of an account at once'],
    ['reactivate-user', true, 'undo deactivate-user: tokens and roles are as they were'],
  ] as const) {
    admin
      .command(verb)
      .summary(summary)
      .requiredOption('--email <email>', 'whose account it is')
      .action(
        printed(io, openSession, async (_, { email }: { email: string }) =>
          (await server()).setUserActive({ email, active }),
        ),
      );
  }
}

function addResetPassword(admin: Command, io: CommandIo): void {
  admin
    .command('reset-password')
    .summary('make a one-time link to set a new password, valid for 24 hours; or set it at once')
    .requiredOption('--email <email>', 'whose password it is')
    .option('--password-stdin', 'set the password that is read from standard input, instead of making a link')
    .action(async ({ email, passwordStdin }: { email: string; passwordStdin?: true }, command: Command) => {
      const { print, say } = openSession(io, command);
      const { createResetLink, setUserPassword } = await server();
      if (passwordStdin) return print(await setUserPassword({ email, newPassword: await readStdin(io) }));
      print(await createResetLink(email));
      say('The link is shown only now, and works once. Give it to whose account it is.');
    });
}

function addRotateSecret(admin: Command, io: CommandIo): void {
  admin
    .command('rotate-secret')
    .summary('give the server another secret')
    .description(
      'Gives the server another secret, and seals all credentials anew with it. Stop all nodes first. Sessions, cursors, live tickets, export tokens and links to downloads of before end; access tokens and passwords stay.',
    )
    .option('--secret-stdin', 'read the new secret from standard input; without it, a new key file is made')
    .action(async ({ secretStdin }: { secretStdin?: true }, command: Command) => {
      const { print, say } = openSession(io, command);
      const { changeSecret } = await server();
      const changed = await changeSecret(secretStdin ? await readStdin(io) : undefined);
      print(changed);
      say(
        changed.keyFile
          ? 'The new secret is in secret.key of CAIRN_DATA. Copy it to the other nodes, and start them.'
          : 'Set CAIRN_SECRET to the new secret on every node, take away any secret.key, and start them.',
      );
      say('Who had signed in signs in again. Make a new backup: one from before needs the old secret.');
    });
}

function addRotateSigningKey(admin: Command, io: CommandIo): void {
  admin
    .command('rotate-signing-key')
    .summary('sign sessions with another key from now on')
    .description(
      'Signs sessions with another key. A running server goes over to it within a minute, and nobody is signed out: the key of before verifies what it has signed until that is over. The server does this by itself every 90 days. For a secret that leaked, use rotate-secret.',
    )
    .action(async (_options: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const { changeSigningKey } = await server();
      const key = await changeSigningKey();
      print(key, `Key ${key.generation} signs since ${new Date(key.since).toISOString()}.`);
      say('A running server signs with it within a minute. Sessions go on as they are.');
    });
}
