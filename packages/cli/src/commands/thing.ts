import type { CairnClient } from '@cairn/sdk';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { harmless, type Look } from '../look.ts';
import { didYouMean, nearNames, orNear } from '../near-name.ts';
import { addList, addPaging, type ListFlags, type PagingFlags, pagingOf, printList } from '../paging.ts';
import { addRename } from '../rename.ts';
import type { RepoName } from '../repo-name.ts';
import { type AtFlags, addAt, addSequence, type SequenceFlags, sequenceFlagsOf } from '../sequence.ts';
import { formatOf, openSession, repoOf } from '../session.ts';
import { table } from '../table.ts';
import { addChanges } from './thing-change.ts';
import { addLists } from './thing-list.ts';
import { addReferences } from './thing-reference.ts';

type ManyRecords = Awaited<ReturnType<CairnClient['thing']['getMany']>>;

const COLUMNS = ['version', 'active', 'repoSeq', 'createdBy', 'versionCreatedAt', 'data'];

export function addThing(program: Command, io: CommandIo): void {
  const thing = program.command('thing').summary('records: one, or lists of them');
  addLists(thing, io);
  addGet(thing, io);
  addHistory(thing, io);
  addNames(thing, io);
  addReferences(thing, io);
  addChanges(thing, io);
  addRename(thing, io, 'thing').summary('rename a thing, an assertion or a collection; what refers to it follows');
}

function addGet(thing: Command, io: CommandIo): void {
  addSequence(thing.command('get <wref...>'))
    .summary('show records by wref: Shape/name, Shape/name@v3 or a durable ID')
    .action(async (wrefs: string[], flags: SequenceFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const options = sequenceFlagsOf(flags);
      const [wref] = wrefs;
      const place = { client, orgName, repoName };
      if (wrefs.length === 1 && wref !== undefined) {
        print(await orNear({ ...place, name: wref }, () => client.thing.get(orgName, repoName, wref, options)));
      } else {
        const result = await client.thing.getMany(orgName, repoName, wrefs, options);
        print(result, (look) => recordsText(wrefs, result, look));
        const missing = wrefs.filter((_, index) => result.items[index] === null);
        if (missing.length === 0) return;
        if (formatOf(command.optsWithGlobals()) === 'pretty') io.stderr(harmless(await missingText(place, missing)));
        io.setExitCode(EXIT.notFound);
      }
    });
}

/** Each as it was asked for, in that order: what is not there has a row too. */
function recordsText(wrefs: readonly string[], { repoSeq, items }: ManyRecords, look: Look): string {
  const rows = wrefs.map((wref, index) => items[index] ?? { wref, kind: 'missing' });
  const columns = ['wref', 'kind', 'version', 'active', 'aboutWref', 'repoSeq', 'data'];
  const filled = columns.filter((name) => rows.some((row) => name in row));
  return `repoSeq  ${repoSeq}\n\n${table(rows, filled, look)}`;
}

const EXPLAINED_MAX = 3;

async function missingText(place: RepoName & { client: CairnClient }, missing: readonly string[]): Promise<string> {
  const explained = missing.slice(0, EXPLAINED_MAX);
  const near = (await Promise.all(explained.map((name) => nearNames({ ...place, name })))).flat();
  const meant = near.length === 0 ? '' : ` ${didYouMean(near)}`;
  return `There is no record ${missing.join(', ')} that you may read.${meant}\n`;
}

function addHistory(thing: Command, io: CommandIo): void {
  addAt(addPaging(thing.command('history <wref>')))
    .summary('list the versions of a record, newest first')
    .action(async (wref: string, flags: PagingFlags & AtFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, printPage } = openSession(io, command);
      const options = { ...pagingOf(flags), ...sequenceFlagsOf(flags) };
      const named = { client, orgName, repoName, name: wref };
      printPage(await orNear(named, () => client.thing.history(orgName, repoName, wref, options)), COLUMNS);
    });
}

function addNames(thing: Command, io: CommandIo): void {
  addList(addAt(thing.command('names <wref>')))
    .summary('list the names that a record has had, oldest first')
    .action(async (wref: string, flags: ListFlags & AtFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const session = openSession(io, command);
      const options = sequenceFlagsOf(flags);
      const named = { client: session.client, orgName, repoName, name: wref };
      await printList(session, {
        flags,
        columns: ['name', 'repoSeq', 'createdBy', 'createdAt'],
        list: (paging) =>
          orNear(named, () => session.client.thing.names(orgName, repoName, wref, { ...options, ...paging })),
      });
    });
}
