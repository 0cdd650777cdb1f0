// `cairn auth sessions` and `cairn auth end-session`: where you are signed in, and how to end that.
import type { SessionRecord } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { openSession } from '../session.ts';

const COLUMNS = ['id', 'kind', 'client', 'agent', 'address', 'createdAt', 'lastUsedAt', 'current'];
const KINDS = ['browser', 'client'] as const;

interface EndFlags {
  readonly all?: true;
  readonly kind?: (typeof KINDS)[number];
}

/** People know a client by its name, which is what it says itself; what it is known by stands beside it. */
const named = ({ client, ...session }: SessionRecord) => ({
  ...session,
  ...(client && { client: `${client.name} (${client.id})` }),
});

export function addAuthSessions(auth: Command, io: Io): void {
  addPaging(auth.command('sessions'))
    .summary('list where you are signed in: browsers, and clients such as this one')
    .action(async (flags: PagingFlags, command: Command) => {
      const { client, format, printPage } = openSession(io, command);
      const page = await client.auth.listSessions(pagingOf(flags));
      printPage(format === 'pretty' ? { ...page, items: page.items.map(named) } : page, COLUMNS);
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
