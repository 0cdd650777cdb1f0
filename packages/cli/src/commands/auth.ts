import { acceptInvitation, changePassword, resetPassword, type SessionRecord } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addPaging, listed } from '../flags.ts';
import { type CommandIo, type Io, readStdin } from '../io.ts';
import { NOT_SIGNED_IN } from '../profile-choice.ts';
import { askNewPassword, askSecret, readPassword, serverOf } from '../prompt.ts';
import { openSession, SHOWN_ONCE } from '../session.ts';
import { addLogin, addLogout, addStatus, addUse } from './auth-profile.ts';

export function addAuth(program: Command, io: CommandIo): void {
  const auth = program.command('auth').summary('sign-in, sessions, passwords and profiles');
  auth
    .command('whoami')
    .summary('show who you are signed in as, and your permissions')
    .action(async (_options: object, command: Command) => {
      const { client, print, say } = openSession(io, command);
      const me = await client.auth.whoami();
      print(me);
      if (me.kind === 'anonymous') say(NOT_SIGNED_IN);
    });
  addLogin(auth, io);
  addStatus(auth, io);
  addUse(auth, io);
  addLogout(auth, io);
  addAcceptInvitation(auth, io);
  addChangePassword(auth, io);
  addResetPassword(auth, io);
  addAuthSessions(auth, io);
}

function addAcceptInvitation(auth: Command, io: Io): void {
  auth
    .command('accept-invitation')
    .summary('accept an invitation, and create an account if you have none')
    .requiredOption('--code <code>', 'the one-time code, or the whole link')
    .option('--name <name>', 'handle of a new account (default: derived from the email address)')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (flags: { code: string; name?: string; passwordStdin?: true }, command: Command) => {
      const { url, print, say } = openSession(io, command);
      const { code, name } = flags;
      const password = await readPassword(io, flags, () =>
        askSecret(io, { message: 'Your password, or for a new account one of at least 12 characters' }),
      );
      const accepted = await acceptInvitation(serverOf(code, url), { code, password, ...(name && { name }) });
      print(accepted);
      if (accepted.token !== undefined) say(SHOWN_ONCE);
    });
}

function addChangePassword(auth: Command, io: Io): void {
  auth
    .command('change-password')
    .summary('change your password, which ends all sessions')
    .requiredOption('--email <email>', 'email address of the account')
    .option('--password-stdin', 'read two lines from standard input: the current password, then the new one')
    .action(async ({ email, passwordStdin }: { email: string; passwordStdin?: true }, command: Command) => {
      const { url, print } = openSession(io, command);
      const passwords = passwordStdin ? linesOf(await readStdin(io)) : await askBoth(io);
      print(await changePassword(url, { email, ...passwords }));
    });
}

function linesOf(text: string) {
  const [password, newPassword, more] = text.split(/\r?\n/);
  if (password === undefined || newPassword === undefined || more !== undefined) {
    throw new UsageError('Give two lines on standard input: the current password, then the new one.');
  }
  return { password, newPassword };
}

async function askBoth(io: Io) {
  const password = await askSecret(io, { message: 'Your current password' });
  return { password, newPassword: await askNewPassword(io) };
}

function addResetPassword(auth: Command, io: Io): void {
  auth
    .command('reset-password')
    .summary('replace a forgotten password, with a link from a mail or from an operator')
    .requiredOption('--code <code>', 'the one-time code, or the whole link')
    .option('--password-stdin', 'read the new password from standard input')
    .action(async ({ code, ...flags }: { code: string; passwordStdin?: true }, command: Command) => {
      const { url, print } = openSession(io, command);
      print(await resetPassword(serverOf(code, url), { code, newPassword: await readPassword(io, flags) }));
    });
}

const SESSION_COLUMNS = ['kind', 'client', 'agent', 'address', 'createdAt', 'lastUsedAt', 'current', 'id'];
const KINDS = ['browser', 'client'] as const;

/** Clients choose their own names, so the id is shown too. */
const named = ({ client, ...session }: SessionRecord) => ({
  ...session,
  ...(client && { client: `${client.name} (${client.id})` }),
});

function addAuthSessions(auth: Command, io: Io): void {
  addPaging(auth.command('sessions'))
    .summary('list your sessions: browsers, and clients such as this command')
    .action(
      listed(io, openSession, { columns: SESSION_COLUMNS, row: named }, ({ client }, paging) =>
        client.auth.listSessions(paging),
      ),
    );
  auth
    .command('end-session [id]')
    .summary('end one session, or with --all every session, including this one')
    .option('--all', 'sign out everywhere')
    .addOption(new Option('--kind <kind>', 'with --all: only sessions of this kind').choices(KINDS))
    .action(
      async (
        id: string | undefined,
        { all, kind }: { all?: true; kind?: (typeof KINDS)[number] },
        command: Command,
      ) => {
        if ((id === undefined) === (all === undefined)) throw new UsageError('Give the id of one session, or --all.');
        if (kind !== undefined && all === undefined) throw new UsageError('--kind needs --all.');
        const { client, print } = openSession(io, command);
        print(
          id === undefined
            ? await client.auth.endAllSessions({ ...(kind && { kind }) })
            : await client.auth.endSession(id),
        );
      },
    );
}
