import type { ScopeEntry } from '@cairn/protocol/account';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addPaging, listed } from '../flags.ts';
import type { Io } from '../io.ts';
import { shownTime } from '../look.ts';
import { parseLifetime, parseScope, SCOPES_HELP } from '../scope.ts';
import { openSession, printed, SHOWN_ONCE } from '../session.ts';

export const TOKEN_COLUMNS = ['name', 'scopes', 'lastUsedAt', 'expiresAt', 'revokedAt', 'createdBy'];

interface CreateFlags {
  readonly name?: string;
  readonly scope: string[];
  readonly refs?: string[];
  readonly shapes?: string[];
  readonly expires?: string;
  readonly description?: string;
}

export function addToken(program: Command, io: Io): void {
  const token = program
    .command('token')
    .summary('personal access tokens')
    .description(
      'A session can manage all of your tokens. A token can manage only the tokens that it created, and those created with them.',
    );
  addCreate(token, io);
  addPaging(token.command('list'))
    .summary('list the tokens that you can manage')
    .action(listed(io, openSession, { columns: TOKEN_COLUMNS }, ({ client }, paging) => client.token.list(paging)));
  for (const [verb, procedure, summary] of [
    ['view', 'get', 'show a token'],
    ['revoke', 'revoke', 'revoke a token and all tokens that were created with it'],
  ] as const) {
    token
      .command(`${verb} <name>`)
      .summary(summary)
      .action(printed(io, openSession, ({ client }, name: string) => client.token[procedure](name)));
  }
  addRotate(token, io);
}

function addCreate(token: Command, io: Io): void {
  token
    .command('create [name]')
    .summary('create a token; its value is shown once')
    .option('--name <name>', 'the same as the argument')
    .requiredOption('--scope <scope...>', '[ORG[/REPO]=]PERMISSION[,PERMISSION] or [ORG[/REPO]=]role:ROLE')
    .option('--refs <glob...>', 'narrow reading (not writing) to records whose name matches, such as Signal/**')
    .option('--shapes <shape...>', 'narrow reading (not writing) to records of these shapes')
    .option('--expires <time>', 'lifetime, such as 90d (default: 30d)')
    .option('--description <text>', 'what it is for')
    .addHelpText('after', SCOPES_HELP)
    .action(async (given: string | undefined, flags: CreateFlags, command: Command) => {
      const name = tokenName(given, flags);
      const scopes = flags.scope.map((text) => narrowed(parseScope(text), flags));
      refuseIdleNarrowing(scopes, flags);
      const expiresAt = flags.expires === undefined ? undefined : Date.now() + parseLifetime(flags.expires);
      const { client, print, say } = openSession(io, command);
      const made = await client.token.create(name, { scopes, expiresAt, description: flags.description });
      print(made);
      say(SHOWN_ONCE);
      const wanted = expiresAt ?? made.createdAt + LIFETIME_MS_EXPECTED;
      if (made.expiresAt < wanted) say(endsEarlier(made.expiresAt));
    });
}

/** The default lifetime is 30 days; one day less needs no warning. */
const LIFETIME_MS_EXPECTED = 29 * 86_400_000;

const endsEarlier = (expiresAt: number) =>
  `It expires ${shownTime(expiresAt)}, because the token that created it expires then.`;

/** The name may come as a flag too, because `--scope` takes all arguments after it. */
function tokenName(given: string | undefined, { name }: CreateFlags): string {
  if (given !== undefined && name !== undefined && given !== name)
    throw new UsageError('Give the name once: as an argument or with --name.');
  const chosen = given ?? name;
  if (chosen === undefined) {
    throw new UsageError('Give the token a name, before --scope: cairn token create NAME --scope SCOPE.');
  }
  return chosen;
}

/** Only entries that allow reading can be narrowed. */
function narrowed(entry: ScopeEntry, { refs, shapes }: CreateFlags): ScopeEntry {
  if (!entry.permissions.includes('repo:read')) return entry;
  return { ...entry, ...(refs !== undefined && { refs }), ...(shapes !== undefined && { shapes }) };
}

function refuseIdleNarrowing(scopes: readonly ScopeEntry[], { refs, shapes }: CreateFlags): void {
  if (refs === undefined && shapes === undefined) return;
  if (scopes.some(({ permissions }) => permissions.includes('repo:read'))) return;
  throw new UsageError('--refs and --shapes narrow repo:read. Give the token that scope, or leave them out.');
}

function addRotate(token: Command, io: Io): void {
  token
    .command('rotate <name>')
    .summary('give a token a new value; the old value stays valid for a while')
    .option('--previous <time>', 'how long the old value stays valid, such as 10m (default and maximum: 24h)')
    .action(async (name: string, flags: { previous?: string }, command: Command) => {
      const { client, print, say } = openSession(io, command);
      const { previous } = flags;
      const previousValidUntil = previous === undefined ? undefined : Date.now() + parseLifetime(previous);
      print(await client.token.rotate(name, { previousValidUntil }));
      say(SHOWN_ONCE);
    });
}
