// `cairn admin backup|restore|distribute|purge|verify`: works on the data of a whole server, on its own machine.
import { fail } from '@cairn/protocol/errors';
import type { Command } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { fileNamedBy, readFile } from '../input.ts';
import type { CommandIo, Io } from '../io.ts';
import { withShare } from '../progress.ts';
import { openSession } from '../session.ts';

export function addBackup(admin: Command, io: Io): void {
  admin
    .command('backup')
    .summary('copy the whole server to a new folder, while it runs')
    .description(
      'Copies database, secret and blobs of a server on SQLite to a new folder, while it runs, and checks the copy. The folder then holds everything that the server has: keep it where nobody else can read it. For PostgreSQL, docs/backup.md says what to use.',
    )
    .argument('<folder>', 'where to; it must not be there yet')
    .action(async (folder: string, _options: object, command: Command) => {
      const session = openSession(io, command);
      const { print, say } = session;
      const { backUpServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => backUpServer({ folder, onProgress }));
      print(result);
      say('The copy of the database was read through and is whole.');
      say(
        result.secretIncluded
          ? 'The backup holds the secret of the server: whoever reads it can act as anyone. Keep it safe.'
          : 'CAIRN_SECRET is not in the backup: keep it too, apart from it. Without it the backup cannot be used.',
      );
      if (!result.blobsIncluded) say('The blobs are in a bucket and not in the backup: keep its versions.');
    });
}

export function addRestore(admin: Command, io: Io): void {
  admin
    .command('restore')
    .summary('put a backup into an empty CAIRN_DATA')
    .description(
      'Checks a backup and puts it into CAIRN_DATA, which must not hold the data of a server yet. Then start the server. For PostgreSQL, docs/backup.md says what to use.',
    )
    .argument('<folder>', 'what cairn admin backup has made')
    .action(async (folder: string, _options: object, command: Command) => {
      const session = openSession(io, command);
      const { print, say } = session;
      const { restoreServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => restoreServer({ folder, onProgress }));
      print(result);
      if (result.secretNeeded) {
        say('The backup holds no secret: start the server with the CAIRN_SECRET of the one that was backed up.');
      }
      if (!result.blobsIncluded) say('The backup holds no blobs: set CAIRN_BLOBS to the bucket that they are in.');
      say('Start the server with: cairn serve');
    });
}

export function addDistribute(admin: Command, io: Io): void {
  admin
    .command('distribute')
    .summary('spread the repositories over the machines of a Citus cluster')
    .description(
      'Lays out the tables of a server, empty or filled, over the machines of PostgreSQL with the extension Citus: each repository on one of them, the small tables that all need on every one. Stop all nodes first. What is done already stays as it is: run it again after it was cut off, and after each upgrade.',
    )
    .action(async (_options: object, command: Command) => {
      const session = openSession(io, command);
      const { distributeServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => distributeServer({ onProgress }));
      session.print(result);
      session.say('Start the nodes again. CAIRN_DATABASE_URL stays the address of the coordinator.');
    });
}

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
      const containing = await textToPurge(io, flags.containing);
      const { purgeServer } = await import('@cairn/server/admin');
      const purged = await purgeServer({ repository, record, versions, containing });
      print(purged, () => purgedText(purged));
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

/** Drops the final line break of a file, which is rarely part of the text. */
async function textToPurge(io: CommandIo, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = fileNamedBy(given);
  const text = file === undefined ? given : (await readFile(io, file)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('--containing is empty, which stands everywhere. Give the text.');
  return text;
}

interface Purged {
  readonly records: readonly { readonly name: string; readonly versions: readonly number[] }[];
  readonly exports: number;
  readonly left: readonly string[];
}

function purgedText({ records, exports, left }: Purged): string {
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

interface Difference {
  readonly repository?: string;
  readonly difference: string;
}

/** A damaged file may differ in every record; a longer list helps nobody. */
const DIFFERENCES_TOLD_MAX = 1_000;

export function addVerify(admin: Command, io: CommandIo): void {
  admin
    .command('verify')
    .summary('check that all data is as it was written')
    .description(
      'Reads all repositories, whether the server runs or not, and changes nothing. Recomputes the hash of every version, the chain of commits, sequences, names, references and the indexes of fields, and says where something differs; on SQLite the file itself is checked too. Ends with 1 where something differs. Of a backup, every file is compared with what was written.',
    )
    .argument('[repository]', 'one alone, as org/repo; by default all')
    .option('--backup <folder>', 'what cairn admin backup has made, instead of the server')
    .action(async (only: string | undefined, { backup }: { backup?: string }, command: Command) => {
      const session = openSession(io, command);
      const { verifyBackup, verifyServer } = await import('@cairn/server/admin');
      const told: Difference[] = [];
      const onDifference = (difference: Difference) => {
        if (told.length < DIFFERENCES_TOLD_MAX) told.push(difference);
      };
      const found = await withShare(session, (onProgress) => {
        const options = { only, onDifference, onProgress };
        return backup === undefined ? verifyServer(options) : verifyBackup({ ...options, folder: backup });
      });
      if (only !== undefined && found.repositories === 0 && found.differences === 0)
        throw fail('NOT_FOUND', { message: `There is no repository ${only} here. Name it as org/repo.` });
      session.print({ ...found, told }, () => verifiedText(found, told));
      if (found.differences > 0) io.setExitCode(EXIT.failed);
    });
}

interface Found {
  readonly repositories: number;
  readonly purged: number;
  readonly differences: number;
}

function verifiedText({ repositories, purged, differences }: Found, told: readonly Difference[]): string {
  const repository = repositories === 1 ? '1 repository was checked' : `${repositories} repositories were checked`;
  const checked = purged === 0 ? repository : `${repository}, with ${purged} purged versions`;
  if (differences === 0) return `${checked}. Everything is as it was written.`;
  const lines = told.map(({ repository, difference }) => `${repository ?? 'database'}: ${difference}`);
  const more = differences > told.length ? [`… and ${differences - told.length} more`] : [];
  return [
    ...lines,
    ...more,
    '',
    `${checked}, and ${differences} ${differences === 1 ? 'thing differs' : 'things differ'}. Restore a backup from before.`,
  ].join('\n');
}
