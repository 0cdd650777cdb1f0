// `cairn doctor`: checks whether a command would work from here, and suggests fixes.
import { CairnClient, type Capabilities, type Whoami } from '@cairn/sdk';
import type { Command } from 'commander';
import {
  type Check,
  checkAddress,
  checkClock,
  checkConnection,
  checkNode,
  checkProfiles,
  checkRepository,
  checkText,
  checkToken,
  checkVersion,
  exitCodeOfChecks,
  problem,
} from '../doctor.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import type { CommandIo, Io } from '../io.ts';
import { type Choice, chooseKnown } from '../profile-choice.ts';
import { type GlobalFlags, openSession } from '../session.ts';

export function addDoctor(program: Command, io: CommandIo): void {
  program
    .command('doctor')
    .summary('check server, clock, versions, token and permissions, and suggest fixes')
    .description(
      'Checks what every command needs: the server, its clock and version, your token, the chosen repository and your permissions in it. Suggests a fix for each problem. The exit code is that of the first problem. To check an installed component, use cairn component doctor.',
    )
    .action(async (_options: object, command: Command) => {
      const { print } = openSession(io, command);
      const report = await examine(io, command);
      const exitCode = exitCodeOfChecks(report.checks);
      print({ ok: exitCode === EXIT.done, ...report }, (look) =>
        report.checks.map((check) => checkText(check, look)).join('\n'),
      );
      io.setExitCode(exitCode);
    });
}

interface Report {
  readonly url?: string;
  readonly server?: Capabilities;
  readonly caller?: Whoami;
  readonly checks: readonly Check[];
}

/** Skips checks that depend on a failed one: they would report the same problem again. */
async function examine(io: Io, command: Command): Promise<Report> {
  const flags: GlobalFlags = command.optsWithGlobals();
  const node = checkNode(process.versions.node);
  const choice = chosen(io, flags);
  if (choice instanceof UsageError) return { checks: [node, unusable(choice)] };
  const { url } = choice;
  const machine = [node, checkProfiles(io)];
  const { check, answered, skewMs } = await checkConnection(choice);
  if (!answered) return { url, checks: [...machine, check] };
  // Asks anonymously: a bad token would be refused here too.
  const server = await new CairnClient({ url, retry: io.retry }).diagnostics.capabilities();
  const asked = [check, checkClock(skewMs), checkVersion(server), await checkAddress(url)];
  const { client } = openSession(io, command);
  const { check: token, caller } = await checkToken(client, choice);
  if (caller === undefined) return { url, server, checks: [...machine, ...asked, token] };
  return { url, server, caller, checks: [...machine, ...asked, token, ...(await checkRepository(client, io, flags))] };
}

function chosen(io: Io, flags: GlobalFlags): Choice | UsageError {
  try {
    return chooseKnown(io, flags);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

const unusable = ({ message }: UsageError) =>
  problem('profiles', { message: 'It is unclear which server to use.', mend: message, exitCode: EXIT.usage });
