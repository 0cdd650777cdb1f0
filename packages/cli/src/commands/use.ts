// `cairn use`: chooses the repository for commands in this folder.
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openImpatient, signInHint } from '../profile-choice.ts';
import { chooseRepo, parseRepoName, removeRepoFile, repoFileIn, writeRepoFile } from '../repo-choice.ts';
import { type GlobalFlags, openSession, type Session } from '../session.ts';

const DESCRIPTION = `Writes the file .cairn in this folder: commands here and in folders below it are about that repository,
unless --repo or CAIRN_REPO names another. Without a name it shows which repository is used, and why. The file holds the
name alone, so it can be shared; which server and as whom is for each user's profile to say.`;

export function addUse(program: Command, io: Io): void {
  program
    .command('use [org/repo]')
    .summary('choose the repository of this folder, or show it')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .option('--clear', 'remove the .cairn file of this folder')
    .action(async (given: string | undefined, { clear }: { clear?: true }, command: Command) => {
      const session = openSession(io, command);
      if (clear && given !== undefined) throw new UsageError('Give either a repository or --clear.');
      if (clear) clearHere(io, session);
      else if (given !== undefined) writeHere(io, session, given);
      show(io, session, command.optsWithGlobals());
      if (given !== undefined && session.isFollowed) await tellMissing(io, session, { given, command });
    });
}

function clearHere({ folder }: Io, { say }: Session): void {
  const file = repoFileIn(folder);
  say(removeRepoFile(folder) ? `Removed ${file}.` : `There is no ${file}.`);
}

function writeHere({ folder }: Io, { say }: Session, repo: string): void {
  parseRepoName(repo);
  say(`Wrote ${writeRepoFile(folder, repo)}.`);
}

interface Chosen {
  readonly given: string;
  readonly command: Command;
}

/** Only a warning: the file may come before the repository, and without a server. */
async function tellMissing(io: Io, { say }: Session, { given, command }: Chosen): Promise<void> {
  const { orgName, repoName } = parseRepoName(given);
  const { client, choice } = openImpatient(io, command.optsWithGlobals<GlobalFlags>());
  const refusal: unknown = await client.repo.get(orgName, repoName).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof CairnError) || refusal.code !== 'NOT_FOUND') return;
  const mend =
    signInHint(choice, refusal) ?? `Create it: cairn repo create ${given}. Those that you may see: cairn repo list.`;
  say(`There is no repository ${given} at ${choice.url} that you may see. ${mend}`);
}

/** Shows the effective repository, which may differ from the one in the file. */
function show(io: Io, { print, say }: Session, flags: GlobalFlags): void {
  const { repo = null, from = null, file } = chooseRepo(io, flags) ?? {};
  const why = file ?? from;
  print(
    { repo, from, ...(file !== undefined && { file }) },
    repo === null ? 'No repository is chosen.' : `${repo} (by ${why})`,
  );
  if (repo === null) say('Choose one for this folder: cairn use ORG/REPO. To see which there are: cairn repo list.');
}
