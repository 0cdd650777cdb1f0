// Commands for the server's own machine. They open the database of CAIRN_DATA or CAIRN_DATABASE_URL directly.
import type { Command } from 'commander';
import { type CommandIo, readStdin } from '../io.ts';
import { shownTime } from '../look.ts';
import { readPassword } from '../prompt.ts';
import { parseLifetime, parseScope, SCOPES_HELP } from '../scope.ts';
import { openSession, printed } from '../session.ts';
import { addBackup, addDistribute, addPurge, addRestore, addVerify } from './admin-data.ts';
import { TOKEN_COLUMNS } from './token.ts';

/** Loaded on demand: it takes longer to load than everything else. */
const server = () => import('@cairn/server/admin');

export function addAdmin(program: Command, io: CommandIo): void {
  const admin = program
    .command('admin')
    .summary('manage a server on its own machine')
    .description(
      'Works directly on the database of CAIRN_DATA or CAIRN_DATABASE_URL, whether or not the server is running.',
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
    .option('--name <name>', 'handle (default: derived from the email address)')
    .option('--owner', 'make the account an operator of the server')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: { email: string; name?: string; owner?: true; passwordStdin?: true }, command: Command) => {
      const password = await readPassword(io, options);
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
    .requiredOption('--email <email>', 'email address of the account')
    .requiredOption('--name <name>', 'name of the token')
    .requiredOption('--scope <scope...>', '[ORG[/REPO]=]PERMISSION[,PERMISSION] or [ORG[/REPO]=]role:ROLE')
    .option('--expires <time>', 'lifetime, such as 90d (default: 30d)')
    .addHelpText('after', SCOPES_HELP)
    .action(
      printed(io, openSession, async (_, { email, name, scope, expires }: TokenFlags) => {
        const scopes = scope.map(parseScope);
        const lifetimeMs = expires === undefined ? undefined : parseLifetime(expires);
        return await (await server()).createUserToken({ email, name, scopes, lifetimeMs });
      }),
    );
}

function addTokens(admin: Command, io: CommandIo): void {
  admin
    .command('list-tokens')
    .summary('list the tokens of an account')
    .requiredOption('--email <email>', 'email address of the account')
    .action(async ({ email }: { email: string }, command: Command) => {
      openSession(io, command).printPage(await (await server()).listUserTokens(email), TOKEN_COLUMNS);
    });
  admin
    .command('revoke-token')
    .summary('revoke a token of an account, and all tokens that were created with it')
    .requiredOption('--email <email>', 'email address of the account')
    .requiredOption('--name <name>', 'name of the token')
    .action(
      printed(io, openSession, async (_, { email, name }: { email: string; name: string }) =>
        (await server()).revokeUserToken({ email, name }),
      ),
    );
}

function addActivation(admin: Command, io: CommandIo): void {
  for (const [verb, active, summary] of [
    ['deactivate-user', false, 'block an account and all of its tokens and sessions at once'],
    ['reactivate-user', true, 'undo deactivate-user; tokens and roles work again'],
  ] as const) {
    admin
      .command(verb)
      .summary(summary)
      .requiredOption('--email <email>', 'email address of the account')
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
    .summary('print a one-time password-reset link, valid for 24 hours; or set the password directly')
    .requiredOption('--email <email>', 'email address of the account')
    .option('--password-stdin', 'set the password from standard input instead of printing a link')
    .action(async ({ email, passwordStdin }: { email: string; passwordStdin?: true }, command: Command) => {
      const { print, say } = openSession(io, command);
      const { createResetLink, setUserPassword } = await server();
      if (passwordStdin) return print(await setUserPassword({ email, newPassword: await readStdin(io) }));
      print(await createResetLink(email));
      say('The link is shown only once, and works once. Send it to the owner of the account.');
    });
}

function addRotateSecret(admin: Command, io: CommandIo): void {
  admin
    .command('rotate-secret')
    .summary('replace the secret of the server')
    .description(
      'Replaces the secret of the server, and encrypts all credentials with the new one. Stop all nodes first. Existing sessions, cursors, live tickets, export tokens and download links become invalid. Access tokens and passwords stay valid.',
    )
    .option('--secret-stdin', 'read the new secret from standard input (default: create a new key file)')
    .action(async ({ secretStdin }: { secretStdin?: true }, command: Command) => {
      const { print, say } = openSession(io, command);
      const { changeSecret } = await server();
      const changed = await changeSecret(secretStdin ? await readStdin(io) : undefined);
      print(changed);
      say(
        changed.keyFile
          ? 'The new secret is in secret.key in CAIRN_DATA. Copy it to the other nodes, and start them.'
          : 'Set CAIRN_SECRET to the new secret on every node, remove any secret.key, and start the nodes.',
      );
      say('Everyone must sign in again. Make a new backup: older backups need the old secret.');
    });
}

function addRotateSigningKey(admin: Command, io: CommandIo): void {
  admin
    .command('rotate-signing-key')
    .summary('sign sessions with a new key')
    .description(
      'Signs sessions with a new key. A running server switches to it within a minute. Nobody is signed out, because the old key still verifies the sessions that it signed. The server does this by itself every 90 days. If a secret has leaked, use rotate-secret.',
    )
    .action(async (_options: object, command: Command) => {
      const { print, say } = openSession(io, command);
      const { changeSigningKey } = await server();
      const key = await changeSigningKey();
      print(key, `Key ${key.generation} signs sessions since ${shownTime(key.since)}.`);
      say('A running server switches to it within a minute. Sessions stay valid.');
    });
}
