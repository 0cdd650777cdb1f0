import { acceptInvitation, changePassword, resetPassword, type SessionRecord } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addPaging, type PagingFlags, pagingOf } from '../flags.ts';
import { type CommandIo, type Io, readStdin } from '../io.ts';
import { askSecret, readPassword, serverOf } from '../prompt.ts';
import { openSession, SHOWN_ONCE } from '../session.ts';
import { addLogin, addLogout, addStatus, addUse } from './auth-profile.ts';

const NEW_PASSWORD = 'A new password of at least 12 characters';

export function addAuth(program: Command, io: CommandIo): void {
  const auth = program.command('auth').summary('who you are to the server');
  auth
    .command('whoami')
    .summary('show who you are to the server, and what you may do there')
    .action(async (_options: object, command: Command) => {
      const { client, print, say } = openSession(io, command);
      const me = await client.auth.whoami();
      print(me);
      if (me.kind === 'anonymous') say('You are not signed in. Do so with `cairn auth login`, or set CAIRN_TOKEN.');
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
    .summary('accept an invitation, and make an account where you have none')
    .requiredOption('--code <code>', 'the one-time code, or the whole link')
    .option('--name <name>', 'handle of a new account; by default made from the email address')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (flags: { code: string; name?: string; passwordStdin?: true }, command: Command) => {
      const { url, print, say } = openSession(io, command);
      const message = 'Your password; for a new account, one of at least 12 characters';
      const password = await readPassword(io, { passwordStdin: flags.passwordStdin, message });
      const name = flags.name !== undefined && { name: flags.name };
      print(await acceptInvitation(serverOf(flags.code, url), { code: flags.code, password, ...name }));
      say(SHOWN_ONCE);
    });
}

function addChangePassword(auth: Command, io: Io): void {
  auth
    .command('change-password')
    .summary('change your password, which ends all sessions')
    .requiredOption('--email <email>', 'whose password it is')
    .option('--password-stdin', 'read two lines from standard input: the present password, and the new one')
    .action(async ({ email, passwordStdin }: { email: string; passwordStdin?: true }, command: Command) => {
      const { url, print } = openSession(io, command);
      const passwords = passwordStdin ? linesOf(await readStdin(io)) : await askBoth(io);
      print(await changePassword(url, { email, ...passwords }));
    });
}

interface Passwords {
  readonly password: string;
  readonly newPassword: string;
}

function linesOf(text: string): Passwords {
  const [password, newPassword, more] = text.split(/\r?\n/);
  if (password === undefined || newPassword === undefined || more !== undefined) {
    throw new UsageError('Give two lines on standard input: the present password, and the new one.');
  }
  return { password, newPassword };
}

async function askBoth(io: Io): Promise<Passwords> {
  const password = await askSecret(io, 'Your present password');
  return { password, newPassword: await askSecret(io, NEW_PASSWORD) };
}

function addResetPassword(auth: Command, io: Io): void {
  auth
    .command('reset-password')
    .summary('set a forgotten password anew, with the link that was mailed or that an operator made')
    .requiredOption('--code <code>', 'the one-time code, or the whole link')
    .option('--password-stdin', 'read the new password from standard input')
    .action(async ({ code, passwordStdin }: { code: string; passwordStdin?: true }, command: Command) => {
      const { url, print } = openSession(io, command);
      const newPassword = await readPassword(io, { passwordStdin, message: NEW_PASSWORD });
      print(await resetPassword(serverOf(code, url), { code, newPassword }));
    });
}

const SESSION_COLUMNS = ['id', 'kind', 'client', 'agent', 'address', 'createdAt', 'lastUsedAt', 'current'];
const KINDS = ['browser', 'client'] as const;

interface EndFlags {
  readonly all?: true;
  readonly kind?: (typeof KINDS)[number];
}

/** Clients choose their own names, so the id is shown too. */
const named = ({ client, ...session }: SessionRecord) => ({
  ...session,
  ...(client && { client: `${client.name} (${client.id})` }),
});

function addAuthSessions(auth: Command, io: Io): void {
  addPaging(auth.command('sessions'))
    .summary('list where you are signed in: browsers, and clients such as this one')
    .action(async (flags: PagingFlags, command: Command) => {
      const { client, format, printPage } = openSession(io, command);
      const page = await client.auth.listSessions(pagingOf(flags));
      printPage(format === 'pretty' ? { ...page, items: page.items.map(named) } : page, SESSION_COLUMNS);
    });
  auth
    .command('end-session [id]')
    .summary('end one session, or with --all every one, this one too')
    .option('--all', 'sign out everywhere')
    .addOption(new Option('--kind <kind>', 'with --all: only sessions of this kind').choices(KINDS))
    .action(async (id: string | undefined, { all, kind }: EndFlags, command: Command) => {
      if ((id === undefined) === (all === undefined)) throw new UsageError('Give the id of one session, or --all.');
      if (kind !== undefined && all === undefined) throw new UsageError('--kind goes with --all.');
      const { client, print } = openSession(io, command);
      print(
        id === undefined
          ? await client.auth.endAllSessions({ ...(kind && { kind }) })
          : await client.auth.endSession(id),
      );
    });
}
