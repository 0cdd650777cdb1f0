// `cairn admin verify`: whether everything that the server has is as it was written.
import { fail } from '@cairn/protocol/errors';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import { withShare } from '../progress.ts';
import { openSession } from '../session.ts';

interface Told {
  readonly repository?: string;
  readonly difference: string;
}

/** A damaged file may have one for each record; more of them help nobody. */
const TOLD_MAX = 1_000;

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
      const told: Told[] = [];
      const onDifference = (difference: Told) => {
        if (told.length < TOLD_MAX) told.push(difference);
      };
      const found = await withShare(session, (onProgress) => {
        const options = { only, onDifference, onProgress };
        return backup === undefined ? verifyServer(options) : verifyBackup({ ...options, folder: backup });
      });
      if (only !== undefined && found.repositories === 0 && found.differences === 0)
        throw fail('NOT_FOUND', { message: `There is no repository ${only} here. Name it as org/repo.` });
      session.print({ ...found, told }, () => textOf(found, told));
      if (found.differences > 0) io.setExitCode(EXIT.failed);
    });
}

interface Found {
  readonly repositories: number;
  readonly purged: number;
  readonly differences: number;
}

function textOf({ repositories, purged, differences }: Found, told: readonly Told[]): string {
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
