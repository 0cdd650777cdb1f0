// What a record refers to and what refers to it, under `thing`.
import type { Graph } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import type { Look } from '../look.ts';
import { orNear } from '../near-name.ts';
import { addList, type ListFlags, printList } from '../paging.ts';
import { type AtFlags, addAt, addSequence, numberUpTo, type SequenceFlags, sequenceFlagsOf } from '../sequence.ts';
import { openSession, repoOf } from '../session.ts';
import { table } from '../table.ts';

const COLUMNS = ['direction', 'role', 'path', 'wref', 'pinnedVersion'];

export function addReferences(thing: Command, io: Io): void {
  addRefs(thing, io);
  addGraph(thing, io);
}

interface DirectionFlags {
  readonly direction?: 'in' | 'out' | 'both';
}

function addDirection(command: Command): Command {
  return command.addOption(
    new Option('--direction <direction>', 'out: what it refers to; in: what refers to it (default: both)').choices([
      'in',
      'out',
      'both',
    ]),
  );
}

interface RefsFlags extends ListFlags, AtFlags, DirectionFlags {
  readonly role?: string;
  readonly acrossRepos?: true;
}

function addRefs(thing: Command, io: Io): void {
  addList(addAt(addDirection(thing.command('refs <wref>'))))
    .summary('list what a record refers to, and what refers to it')
    .option('--role <role>', 'only references of this role: about, field, from, members, ...')
    .option('--across-repos', 'also what refers to it in other repositories that you may read')
    .action(async (wref: string, flags: RefsFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const session = openSession(io, command);
      const { direction, role, acrossRepos } = flags;
      const options = { direction, role, acrossRepos, ...sequenceFlagsOf(flags) };
      await printList(session, {
        flags,
        columns: COLUMNS,
        list: (paging) =>
          orNear({ client: session.client, orgName, repoName, name: wref }, () =>
            session.client.thing.refs(orgName, repoName, wref, { ...options, ...paging }),
          ),
      });
    });
}

interface GraphFlags extends SequenceFlags, DirectionFlags {
  readonly depth?: number;
  readonly limit?: number;
}

function addGraph(thing: Command, io: Io): void {
  addSequence(addDirection(thing.command('graph <wref>')))
    .summary('show the records around a record, by references both ways')
    .option('--depth <references>', 'how many references to follow, up to 5 (default: 2)', numberUpTo(5))
    .option('--limit <count>', 'how many records to show at most, up to 500 (default: 100)', numberUpTo(500))
    .action(async (wref: string, flags: GraphFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print, say } = openSession(io, command);
      const { direction, depth, limit } = flags;
      const options = { direction, depth, limit, ...sequenceFlagsOf(flags) };
      const named = { client, orgName, repoName, name: wref };
      const graph = await orNear(named, () => client.thing.graph(orgName, repoName, wref, options));
      print(graph, (look) => graphText(graph, look));
      if (graph.truncated) say('There are more records around it: --limit shows up to 500.');
    });
}

/** The records, and below them how they refer to each other, by name. */
function graphText({ nodes, edges }: Graph, look: Look): string {
  const names = new Map(nodes.map(({ durableId, wref }) => [durableId, wref]));
  const named = edges.map(({ from, to, ...edge }) => ({ ...edge, from: names.get(from), to: names.get(to) }));
  const records = table(nodes, ['distance', 'wref', 'kind', 'active'], look);
  return edges.length === 0 ? records : `${records}\n\n${table(named, ['from', 'role', 'path', 'to'], look)}`;
}
