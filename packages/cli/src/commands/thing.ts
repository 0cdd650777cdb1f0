import type { CairnClient, Graph, RecordDiff } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { EXIT } from '../exit-codes.ts';
import {
  type AtFlags,
  addAt,
  addKind,
  addList,
  addPaging,
  addSelection,
  addSequence,
  type ListFlags,
  listed,
  numberUpTo,
  type PagingFlags,
  printList,
  type SelectionFlags,
  type SequenceFlags,
  selectionOf,
  sequenceFlagsOf,
  wholeNumber,
} from '../flags.ts';
import type { CommandIo, Io } from '../io.ts';
import { harmless, type Look } from '../look.ts';
import { didYouMean, nearNames, orNear, tellUnknownShape } from '../near-name.ts';
import { openRepo, printed, type RepoSession } from '../session.ts';
import { table } from '../table.ts';
import { addLists } from './thing-list.ts';

export function addRename(noun: Command, io: Io, surface: 'thing' | 'shape'): Command {
  const what = surface === 'shape' ? surface : 'record';
  return noun
    .command('rename <name> <new-name>')
    .option('--message <text>', 'commit message')
    .option('--expected-version <version>', 'fail if it is at another version', wholeNumber)
    .action(
      printed(
        io,
        openRepo,
        (opened, name: string, newName: string, flags: { message?: string; expectedVersion?: number }) => {
          const { client, orgName, repoName } = opened;
          return orNear(opened, { name, what }, () => client[surface].rename(orgName, repoName, name, newName, flags));
        },
      ),
    );
}

type ManyRecords = Awaited<ReturnType<CairnClient['thing']['getMany']>>;

export const VERSION_COLUMNS = [
  ...['version', 'data', 'reason', 'committerWref', 'createdBy', 'versionCreatedAt'],
  ...['active', 'repoSeq'],
];
const NAME_COLUMNS = ['name', 'createdBy', 'createdAt', 'repoSeq'];

export function addThing(program: Command, io: CommandIo): void {
  const thing = program.command('thing').summary('records: show, list, search and compare them');
  addLists(thing, io);
  addGet(thing, io);
  addVersions(thing, io);
  addRefs(thing, io);
  addGraph(thing, io);
  addChanges(thing, io);
  addRename(thing, io, 'thing').summary('rename a thing, an assertion or a collection; references to it follow');
}

function addGet(thing: Command, io: CommandIo): void {
  addSequence(thing.command('get <wref...>'))
    .summary('show records by wref: Shape/name, Shape/name@v3 or a durable ID')
    .action(async (wrefs: string[], flags: SequenceFlags, command: Command) => {
      const opened = openRepo(io, command);
      const { repo, print } = opened;
      const options = sequenceFlagsOf(flags);
      const [wref] = wrefs;
      if (wrefs.length === 1 && wref !== undefined) {
        return print(await orNear(opened, { name: wref }, () => repo().things.get(wref, options)));
      }
      const result = await repo().things.getMany(wrefs, options);
      print(result, (look) => recordsText(wrefs, result, look));
      const missing = wrefs.filter((_, index) => result.items[index] === null);
      if (missing.length === 0) return;
      if (opened.format === 'pretty') io.stderr(harmless(await missingText(opened, missing)));
      io.setExitCode(EXIT.notFound);
    });
}

/** Keeps the requested order, with a row for each missing record too. */
function recordsText(wrefs: readonly string[], { repoSeq, items }: ManyRecords, look: Look): string {
  const rows = wrefs.map((wref, index) => items[index] ?? { wref, kind: 'missing' });
  const columns = [
    'wref',
    'aboutWref',
    'data',
    'committerWref',
    'createdBy',
    'versionCreatedAt',
    'version',
    'kind',
    'active',
  ];
  return `${table(rows, columns, look)}\n\nrepoSeq  ${repoSeq}`;
}

const EXPLAINED_MAX = 3;

async function missingText(place: RepoSession, missing: readonly string[]): Promise<string> {
  const explained = missing.slice(0, EXPLAINED_MAX);
  const near = (await Promise.all(explained.map((name) => nearNames(place, { name })))).flat();
  const meant = near.length === 0 ? '' : ` ${didYouMean(near)}`;
  return `There is no record ${missing.join(', ')} that you can read.${meant}\n`;
}

function addVersions(thing: Command, io: CommandIo): void {
  addAt(addPaging(thing.command('history <wref>')))
    .summary('list the versions of a record, newest first')
    .action(
      listed(io, openRepo, { columns: VERSION_COLUMNS }, (opened, paging, name: string, flags: AtFlags) =>
        orNear(opened, { name }, () => opened.repo().things.history(name, { ...paging, ...sequenceFlagsOf(flags) })),
      ),
    );
  addList(addAt(thing.command('names <wref>')))
    .summary('list the names that a record has had, oldest first')
    .action(
      listed(io, openRepo, { columns: NAME_COLUMNS }, (opened, paging, name: string, flags: AtFlags) =>
        orNear(opened, { name }, () => opened.repo().things.names(name, { ...sequenceFlagsOf(flags), ...paging })),
      ),
    );
}

const CHANGE_COLUMNS = ['name', 'change', 'nameBefore', 'versionBefore', 'version', 'kind', 'repoSeq'];

type SpanFlags = AtFlags & { since: number };

function addSpan(command: Command): Command {
  return addAt(command.requiredOption('--since <repo-seq>', 'the sequence to compare with', wholeNumber));
}

function spanOf({ since, ...flags }: SpanFlags) {
  return { sinceRepoSeq: since, ...sequenceFlagsOf(flags) };
}

function addChanges(thing: Command, io: Io): void {
  addList(addSelection(addKind(addSpan(thing.command('changes')))))
    .summary('list the records that changed after a sequence, and how')
    .action(async (flags: SpanFlags & SelectionFlags & ListFlags, command: Command) => {
      const session = openRepo(io, command);
      const options = { ...spanOf(flags), ...selectionOf(flags) };
      const list = (paging: PagingFlags) => session.repo().things.changes({ ...options, ...paging });
      const { items } = await printList(session, { flags, columns: CHANGE_COLUMNS, list });
      if (items.length === 0) await tellUnknownShape(session, flags);
    });
  addSpan(thing.command('diff <wref>'))
    .summary('show what changed in the data of a record after a sequence')
    .action(async (wref: string, flags: SpanFlags, command: Command) => {
      const opened = openRepo(io, command);
      const diff = await orNear(opened, { name: wref }, () => opened.repo().things.diff(wref, spanOf(flags)));
      opened.print(diff, (look) => diffText(diff, look));
    });
}

function diffText({ before, after, differences }: RecordDiff, look: Look): string {
  const states = `${stateOf(before)} -> ${stateOf(after)}`;
  if (differences.length === 0) return `${states}\nThe data is the same.`;
  return `${states}\n\n${table(differences, ['change', 'path', 'before', 'after'], look)}`;
}

function stateOf(record: RecordDiff['before']): string {
  if (record === null) return '(did not exist)';
  return record.active ? record.pinnedWref : `${record.pinnedWref} (retracted)`;
}

const REFERENCE_COLUMNS = ['wref', 'direction', 'role', 'path', 'pinnedVersion'];

interface DirectionFlags {
  readonly direction?: 'in' | 'out' | 'both';
}

function addDirection(command: Command): Command {
  const about = 'out: what it refers to; in: what refers to it (default: both)';
  return command.addOption(new Option('--direction <direction>', about).choices(['in', 'out', 'both']));
}

type RefsFlags = AtFlags & DirectionFlags & { role?: string; acrossRepos?: true };

function addRefs(thing: Command, io: Io): void {
  addList(addAt(addDirection(thing.command('refs <wref>'))))
    .summary('list the references of a record, in both directions')
    .option('--role <role>', 'only references of this role: about, field, from, members, ...')
    .option('--across-repos', 'include references from other repositories that you can read')
    .action(
      listed(io, openRepo, { columns: REFERENCE_COLUMNS }, (opened, paging, name: string, flags: RefsFlags) => {
        const { direction, role, acrossRepos } = flags;
        const options = { direction, role, acrossRepos, ...sequenceFlagsOf(flags), ...paging };
        return orNear(opened, { name }, () => opened.repo().things.refs(name, options));
      }),
    );
}

type GraphFlags = SequenceFlags & DirectionFlags & { depth?: number; limit?: number };

function addGraph(thing: Command, io: Io): void {
  addSequence(addDirection(thing.command('graph <wref>')))
    .summary('show the records around a record, by references in both directions')
    .option('--depth <references>', 'how many references to follow, up to 5 (default: 2)', numberUpTo(5))
    .option('--limit <count>', 'maximum number of records, up to 500 (default: 100)', numberUpTo(500))
    .action(async (wref: string, flags: GraphFlags, command: Command) => {
      const opened = openRepo(io, command);
      const { direction, depth, limit } = flags;
      const options = { direction, depth, limit, ...sequenceFlagsOf(flags) };
      const graph = await orNear(opened, { name: wref }, () => opened.repo().things.graph(wref, options));
      opened.print(graph, (look) => graphText(graph, look));
      if (graph.truncated) opened.say('There are more records around it: --limit shows up to 500.');
    });
}

function graphText({ nodes, edges }: Graph, look: Look): string {
  const names = new Map(nodes.map(({ durableId, wref }) => [durableId, wref]));
  const named = edges.map(({ from, to, ...edge }) => ({ ...edge, from: names.get(from), to: names.get(to) }));
  const records = table(nodes, ['wref', 'kind', 'active', 'distance'], look);
  return edges.length === 0 ? records : `${records}\n\n${table(named, ['from', 'role', 'path', 'to'], look)}`;
}
