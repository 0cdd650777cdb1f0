// `cairn admin purge`: removes for good what should never have been written.
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { fileNamedBy, readFile } from '../input.ts';
import type { CommandIo } from '../io.ts';
import { openSession } from '../session.ts';

interface PurgeFlags {
  readonly versions?: string[];
  readonly containing?: string;
}

export function addPurge(admin: Command, io: CommandIo): void {
  admin
    .command('purge')
    .summary('remove data of records for good')
    .description(
      'Removes the data of versions from the database, its indexes, the search index and all files of exports. History stays: the versions are there, their hashes and the chain of commits hold, and reads say that they are purged. The database is written anew, which takes as long as it is large. What was exported, backed up or sent to webhooks before is not reached.',
    )
    .argument('<repository>', 'as org/repo')
    .argument('[record]', 'Shape/name; by default all that hold the text')
    .option('--versions <number...>', 'of the record; by default all')
    .option('--containing <text>', 'only data with this text in it; @FILE reads it from a file, - from standard input')
    .action(async (repository: string, record: string | undefined, flags: PurgeFlags, command: Command) => {
      const { print, say } = openSession(io, command);
      const versions = flags.versions?.map(versionOf);
      if (versions !== undefined && record === undefined)
        throw new UsageError('--versions are those of one record. Name it.');
      if (record === undefined && flags.containing === undefined) {
        throw new UsageError('Name the record, or give the text with --containing.');
      }
      const containing = await textOf(io, flags.containing);
      const { purgeServer } = await import('@cairn/server/admin');
      const purged = await purgeServer({ repository, record, versions, containing });
      print(purged, () => toText(purged));
      if (purged.records.length > 0 && !purged.rewritten) {
        say(
          'Somebody reads an earlier state: the log of the database still has it, until the server is stopped or started again.',
        );
      }
    });
}

function versionOf(text: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) throw new UsageError(`--versions takes numbers, and ${text} is none.`);
  return Number(text);
}

/** A file ends with a line break that nobody means. */
async function textOf(io: CommandIo, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = fileNamedBy(given);
  const text = file === undefined ? given : (await readFile(io, file)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('--containing is empty, which stands everywhere. Give the text.');
  return text;
}

interface Told {
  readonly records: readonly { readonly name: string; readonly versions: readonly number[] }[];
  readonly exports: number;
  readonly left: readonly string[];
}

function toText({ records, exports, left }: Told): string {
  const lines = records.map(({ name, versions }) => `${name}: ${countOf(versions.length, 'version')} purged`);
  if (records.length === 0) lines.push('No data holds it; nothing was changed.');
  if (exports > 0) lines.push(`${countOf(exports, 'file')} of exports built anew`);
  if (left.length > 0) {
    lines.push(
      '',
      `It also stands in ${left.join(', ')}, and cannot be taken out of there: the chain of commits holds it.`,
    );
    lines.push('If it must go, copy what may stay to a new repository and delete this one.');
  }
  return lines.join('\n');
}

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
