// `cairn use`: chooses the repository for commands in this folder.
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openImpatient, signInHint } from '../profile-choice.ts';
import {
  chooseRepo,
  LIST_REPOSITORIES,
  parseRepoName,
  removeRepoFile,
  repoFileIn,
  writeRepoFile,
} from '../repo-choice.ts';
import { type GlobalFlags, openSession, type Session } from '../session.ts';

const DESCRIPTION = `Writes the file .cairn in this folder. Commands in this folder and below it use that repository, unless
--repo or CAIRN_REPO names another. Without a name, shows the repository in use and where it comes from. The file
contains only the name, so you can share it. The server and your identity come from your profile.`;

export function addUse(program: Command, io: Io): void {
  program
    .command('use [org/repo]')
    .summary('choose the repository for this folder, or show it')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .option('--clear', 'remove the .cairn file from this folder')
    .action(async (given: string | undefined, { clear }: { clear?: true }, command: Command) => {
      const session = openSession(io, command);
      const file = repoFileIn(io.folder);
      if (clear && given !== undefined) throw new UsageError('Give either a repository or --clear.');
      if (clear) session.say(removeRepoFile(io.folder) ? `Removed ${file}.` : `There is no ${file}.`);
      if (given !== undefined) {
        parseRepoName(given);
        session.say(`Wrote ${writeRepoFile(io.folder, given)}.`);
      }
      show(io, session, command.optsWithGlobals());
      if (given !== undefined && session.isFollowed) await tellMissing(io, session, given, command);
    });
}

/** Only a warning: the file may come before the repository, and without a server. */
async function tellMissing(io: Io, { say }: Session, given: string, command: Command): Promise<void> {
  const { orgName, repoName } = parseRepoName(given);
  const { client, choice } = openImpatient(io, command.optsWithGlobals<GlobalFlags>());
  const refusal: unknown = await client.repo.get(orgName, repoName).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof CairnError) || refusal.code !== 'NOT_FOUND') return;
  const mend = signInHint(choice, refusal) ?? `To create it: cairn repo create ${given}. ${LIST_REPOSITORIES}`;
  say(`There is no repository ${given} at ${choice.url} that you can see. ${mend}`);
}

/** Shows the effective repository, which may differ from the one in the file. */
function show(io: Io, { print, say }: Session, flags: GlobalFlags): void {
  const { repo = null, from = null, file } = chooseRepo(io, flags) ?? {};
  const why = file ?? from;
  print(
    { repo, from, ...(file !== undefined && { file }) },
    repo === null ? 'No repository is chosen.' : `${repo} (from ${why})`,
  );
  if (repo === null) say(`To choose one for this folder: cairn use ORG/REPO. ${LIST_REPOSITORIES}`);
}
