// `cairn component install` and `update`: shows what the component is given before it is given.
import type { ComponentReport } from '@cairn/sdk';
import type { Command } from 'commander';
import { grantedText } from '../component-grant.ts';
import { parseComponentName } from '../component-name.ts';
import { isWrong, nextCommands, shownReport } from '../component-report.ts';
import { askWhether } from '../confirmation.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandIo } from '../io.ts';
import type { RepoName } from '../repo-name.ts';
import { openSession, repoOf, type Session } from '../session.ts';

interface InstallFlags {
  readonly yes?: true;
  /** False: `--no-setup`. */
  readonly setup: boolean;
}

export function addComponentInstall(component: Command, io: CommandIo): void {
  for (const [verb, summary] of [
    ['install', 'install the latest version of a component, ORG/NAME; again, it brings back what is missing'],
    ['update', 'bring an installed component, ORG/NAME, to the latest version; nothing is deleted'],
  ] as const) {
    component
      .command(`${verb} <component>`)
      .summary(summary)
      .option('--yes', 'do not ask whether to give it what it needs')
      .option('--no-setup', 'do not call its setup endpoint: the install is not complete until it is called')
      .action(async (given: string, flags: InstallFlags, command: Command) => {
        const session = openSession(io, command);
        const repo = repoOf(io, command);
        await showGranted(io, session, { repo, given, asks: !flags.yes });
        const options = flags.setup ? {} : { callSetup: false };
        printReport(io, session, await session.client.component[verb](repo.orgName, repo.repoName, given, options));
      });
  }
}

interface Asked {
  readonly repo: RepoName;
  readonly given: string;
  readonly asks: boolean;
}

/** Programs read what is granted in the answer; nobody else is there to be shown it. */
async function showGranted(io: CommandIo, session: Session, { repo, given, asks }: Asked): Promise<void> {
  const { orgName, name } = parseComponentName(given);
  if (!session.isFollowed) return;
  const { orgName: installOrg, repoName } = repo;
  const resolved = await session.client.component.resolve(orgName, name, `${installOrg}/${repoName}`);
  session.say(grantedText(given, repo, resolved));
  // What cannot be installed is refused with the reasons.
  if (asks && io.isTerminal && resolved.eligible) {
    await askWhether(io, `This installs ${given} in ${installOrg}/${repoName}.`);
  }
}

/** Ends with 1 where something is wrong, so that a script sees it. */
export function printReport(io: CommandIo, { print, say }: Session, report: ComponentReport): void {
  print(report, shownReport(report));
  for (const line of nextCommands(report)) say(line);
  if (isWrong(report)) io.setExitCode(EXIT.failed);
}
