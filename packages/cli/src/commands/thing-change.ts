// What changed between two sequences, under `thing`.
import type { RecordDiff } from '@cairn/sdk';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Look } from '../look.ts';
import { orNear } from '../near-name.ts';
import { addList, type ListFlags, printList } from '../paging.ts';
import { addKind, addSelection, type SelectionFlags, selectionOf } from '../record-filter.ts';
import { type AtFlags, addAt, sequenceFlagsOf, wholeNumber } from '../sequence.ts';
import { openSession, repoOf } from '../session.ts';
import { table } from '../table.ts';
import { tellUnknownShape } from '../unknown-shape.ts';

const COLUMNS = ['change', 'name', 'nameBefore', 'kind', 'versionBefore', 'version', 'repoSeq'];

interface SpanFlags extends AtFlags {
  readonly since: number;
}

function addSpan(command: Command): Command {
  return addAt(command.requiredOption('--since <repo-seq>', 'the sequence to compare with', wholeNumber));
}

function spanOf({ since, ...flags }: SpanFlags) {
  return { sinceRepoSeq: since, ...sequenceFlagsOf(flags) };
}

export function addChanges(thing: Command, io: Io): void {
  addList(addSelection(addKind(addSpan(thing.command('changes')))))
    .summary('list the records that changed after a sequence, and how')
    .action(async (flags: SpanFlags & SelectionFlags & ListFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const session = openSession(io, command);
      const options = { ...spanOf(flags), ...selectionOf(flags) };
      const { items } = await printList(session, {
        flags,
        columns: COLUMNS,
        list: (paging) => session.client.thing.changes(orgName, repoName, { ...options, ...paging }),
      });
      if (items.length === 0) await tellUnknownShape(session, { orgName, repoName, flags });
    });
  addSpan(thing.command('diff <wref>'))
    .summary('show what changed in the data of a record after a sequence')
    .action(async (wref: string, flags: SpanFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const named = { client, orgName, repoName, name: wref };
      const diff = await orNear(named, () => client.thing.diff(orgName, repoName, wref, spanOf(flags)));
      print(diff, (look) => diffText(diff, look));
    });
}

function diffText({ before, after, differences }: RecordDiff, look: Look): string {
  const states = `${stateOf(before)} -> ${stateOf(after)}`;
  if (differences.length === 0) return `${states}\nThe data is the same.`;
  return `${states}\n\n${table(differences, ['change', 'path', 'before', 'after'], look)}`;
}

function stateOf(record: RecordDiff['before']): string {
  if (record === null) return '(not there)';
  return record.active ? record.pinnedWref : `${record.pinnedWref} (retracted)`;
}
