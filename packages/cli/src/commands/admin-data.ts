// `cairn admin backup|restore|distribute|purge|verify`: works on the data of a whole server, on its own machine.
import { fail } from '@cairn/protocol/errors';
import type { Command } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { fileNamedBy, JSON_WAYS, readFile } from '../input.ts';
import type { CommandIo, Io } from '../io.ts';
import { withShare } from '../progress.ts';
import { openSession } from '../session.ts';

export function addBackup(admin: Command, io: Io): void {
  admin
    .command('backup')
    .summary('copy the whole server to a new folder while it runs')
    .description(
      'Copies the database, secret and blobs of a server on SQLite to a new folder while it runs, and checks the copy. The folder contains everything that the server has, so keep it where nobody else can read it. For PostgreSQL, see docs/backup.md.',
    )
    .argument('<folder>', 'folder to create; it must not exist yet')
    .action(async (folder: string, _options: object, command: Command) => {
      const session = openSession(io, command);
      const { print, say } = session;
      const { backUpServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => backUpServer({ folder, onProgress }));
      print(result);
      say('The copy of the database was checked and is complete.');
      say(
        result.secretIncluded
          ? 'The backup contains the secret of the server. Anyone who reads it can act as any user, so keep it safe.'
          : 'The backup does not contain CAIRN_SECRET. Store it separately: you cannot use the backup without it.',
      );
      if (!result.blobsIncluded)
        say('The backup does not contain the blobs, which are in a bucket. Keep the versions of that bucket.');
    });
}

export function addRestore(admin: Command, io: Io): void {
  admin
    .command('restore')
    .summary('restore a backup into an empty CAIRN_DATA')
    .description(
      'Checks a backup and copies it to CAIRN_DATA, which must not contain the data of a server yet. Then start the server. For PostgreSQL, see docs/backup.md.',
    )
    .argument('<folder>', 'folder that cairn admin backup created')
    .action(async (folder: string, _options: object, command: Command) => {
      const session = openSession(io, command);
      const { print, say } = session;
      const { restoreServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => restoreServer({ folder, onProgress }));
      print(result);
      if (result.secretNeeded) {
        say('The backup contains no secret. Start the server with the CAIRN_SECRET of the original server.');
      }
      if (!result.blobsIncluded) say('The backup contains no blobs. Set CAIRN_BLOBS to the bucket that contains them.');
      say('Start the server with: cairn serve');
    });
}

export function addDistribute(admin: Command, io: Io): void {
  admin
    .command('distribute')
    .summary('distribute the repositories over the machines of a Citus cluster')
    .description(
      'Distributes the tables of a server over the machines of PostgreSQL with the extension Citus: each repository to one machine, the small shared tables to every machine. Stop all nodes first. Finished steps are skipped, so run it again after an interruption and after each upgrade.',
    )
    .action(async (_options: object, command: Command) => {
      const session = openSession(io, command);
      const { distributeServer } = await import('@cairn/server/admin');
      const result = await withShare(session, (onProgress) => distributeServer({ onProgress }));
      session.print(result);
      session.say('Start the nodes again. CAIRN_DATABASE_URL stays the address of the coordinator.');
    });
}

export function addPurge(admin: Command, io: CommandIo): void {
  admin
    .command('purge')
    .summary('permanently remove data of records')
    .description(
      'Removes the data of versions from the database, its indexes, the search index and all export files. The history stays: the versions, their hashes and the chain of commits remain, and reads show that the versions are purged. The database is rewritten, which takes time if it is large. Earlier exports, backups and webhook deliveries are not affected.',
    )
    .argument('<repository>', 'as org/repo')
    .argument('[record]', 'Shape/name (default: all records that contain the text)')
    .option('--versions <number...>', 'versions of the record (default: all)')
    .option('--containing <text>', `only data that contains this text; ${JSON_WAYS}`)
    .action(
      async (
        repository: string,
        record: string | undefined,
        flags: { versions?: string[]; containing?: string },
        command: Command,
      ) => {
        const { print, say } = openSession(io, command);
        const versions = flags.versions?.map(versionOf);
        if (versions !== undefined && record === undefined)
          throw new UsageError('--versions needs a record. Name the record.');
        if (record === undefined && flags.containing === undefined) {
          throw new UsageError('Name the record, or give the text with --containing.');
        }
        const containing = await textToPurge(io, flags.containing);
        const { purgeServer } = await import('@cairn/server/admin');
        const purged = await purgeServer({ repository, record, versions, containing });
        print(purged, () => purgedText(purged));
        if (purged.records.length > 0 && !purged.rewritten) {
          say(
            'The database log still contains the data, because a reader is using an earlier state. Restart the server to remove it.',
          );
        }
      },
    );
}

function versionOf(text: string): number {
  if (!/^[1-9][0-9]{0,9}$/.test(text)) throw new UsageError(`--versions takes numbers, not ${text}.`);
  return Number(text);
}

/** Drops the final line break of a file, which is rarely part of the text. */
async function textToPurge(io: CommandIo, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined;
  const file = fileNamedBy(given);
  const text = file === undefined ? given : (await readFile(io, file)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('The text of --containing must not be empty.');
  return text;
}

interface Purged {
  readonly records: readonly { readonly name: string; readonly versions: readonly number[] }[];
  readonly exports: number;
  readonly left: readonly string[];
}

function purgedText({ records, exports, left }: Purged): string {
  const lines = records.map(({ name, versions }) => `${name}: ${countOf(versions.length, 'version')} purged`);
  if (records.length === 0) lines.push('No matching data was found. Nothing was changed.');
  if (exports > 0) lines.push(`${countOf(exports, 'export file')} rebuilt`);
  if (left.length > 0) {
    lines.push(
      '',
      `The text is also in ${left.join(', ')}. It cannot be removed there, because it is part of the chain of commits.`,
    );
    lines.push('If it must be removed, copy what can stay to a new repository and delete this one.');
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
    .summary('check that all data is unchanged since it was written')
    .description(
      'Reads all repositories and changes nothing. The server may be running. Recomputes the hash of every version, the chain of commits, sequences, names, references and field indexes, and lists all differences. On SQLite, it also checks the database file. With --backup, it compares every file of the backup with what was written. Exits with 1 if anything differs.',
    )
    .argument('[repository]', 'a single repository, as org/repo (default: all)')
    .option('--backup <folder>', 'check a folder that cairn admin backup created instead of the server')
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
    `${checked}, and ${differences} ${differences === 1 ? 'thing differs' : 'things differ'}. Restore an earlier backup.`,
  ].join('\n');
}
