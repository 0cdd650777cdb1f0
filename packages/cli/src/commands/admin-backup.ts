// `cairn admin backup` and `cairn admin restore`: the whole server on SQLite, to a folder and back.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
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
