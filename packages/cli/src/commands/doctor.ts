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
    .summary('check server, clock, versions, token and rights, and say what to do')
    .description(
      'Checks what every command needs: the server, its clock and version, who you are to it and until when, the repository that is chosen and what you may do in it. Each problem comes with its mend; the exit code is that of the first. Of an installed component, cairn component doctor says what is missing or wrong.',
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
  const { caller, checks } = await checkCaller(io, { client: openSession(io, command).client, choice, flags });
  return { url, server, ...(caller && { caller }), checks: [...machine, ...asked, ...checks] };
}

interface Caller {
  readonly client: CairnClient;
  readonly choice: Choice;
  readonly flags: GlobalFlags;
}

async function checkCaller(io: Io, { client, choice, flags }: Caller) {
  const { check, caller } = await checkToken(client, choice);
  const checks = caller === undefined ? [] : await checkRepository(client, io, flags);
  return { caller, checks: [check, ...checks] };
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
  problem('profiles', { message: 'It is not clear which server is meant.', mend: message, exitCode: EXIT.usage });
