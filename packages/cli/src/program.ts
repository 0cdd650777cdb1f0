import { CairnError } from '@cairn/protocol/errors';
import { VERSION } from '@cairn/protocol/version';
import { Command, CommanderError, Option } from 'commander';
import { addAction } from './commands/action.ts';
import { addAdmin } from './commands/admin.ts';
import { addAuth } from './commands/auth.ts';
import { addCommit } from './commands/commit.ts';
import { addCompletion } from './commands/completion.ts';
import { addComponent } from './commands/component.ts';
import { addCredential } from './commands/credential.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMcp } from './commands/mcp.ts';
import { addOrg } from './commands/org.ts';
import { addPrime } from './commands/prime.ts';
import { addAssertion, addCollection } from './commands/record.ts';
import { addRepo } from './commands/repo.ts';
import { addServe, addSetup } from './commands/serve.ts';
import { addShape } from './commands/shape.ts';
import { addStream } from './commands/stream.ts';
import { addSubscription } from './commands/subscription.ts';
import { addThing } from './commands/thing.ts';
import { addToken } from './commands/token.ts';
import { addUse } from './commands/use.ts';
import { COMPLETE, complete } from './completion.ts';
import { addShortcut } from './component-method.ts';
import { addConfirmations } from './confirmation.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { addHelp, refuseUnknownHelp, withHelp } from './help.ts';
import type { CommandIo, Io } from './io.ts';
import { refuseLive } from './live-list.ts';
import { errorLook } from './look.ts';
import { printError } from './output.ts';
import { type Choice, withHint } from './profile-choice.ts';
import { formatOf } from './session.ts';
import { wrongCall } from './wrong-call.ts';

/** Converts errors of the bundled server, which has its own copy of the class when published. */
function ownError(error: unknown): unknown {
  const isOther = error instanceof Error && error.name === 'CairnError' && !(error instanceof CairnError);
  return isOther ? new CairnError((error as CairnError).code, error) : error;
}

const TWINS = [
  ['view', 'get'],
  ['get', 'view'],
] as const;

function addVerbTwins({ commands: nouns }: Command): void {
  for (const { commands: verbs } of nouns) {
    for (const [word, twin] of TWINS) {
      const verb = verbs.find((command) => command.name() === word);
      if (verb !== undefined && !verbs.some((command) => command.name() === twin)) verb.alias(twin);
    }
  }
}

export const HELP_FOOTER = `cairn auth login stores the server and your credentials in a profile. CAIRN_URL and CAIRN_TOKEN override it.
Results go to standard output, everything else to standard error. Times are local; --json has Unix milliseconds.
Exit codes: 0 success, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 not found, 5 conflict, 6 partly applied,
7 network error.`;

const SHORTCUT_HELP = `To call a method of an installed component, run cairn COMPONENT METHOD, such as cairn word-count count.
cairn COMPONENT --help lists its methods.`;

export function createProgram(io: CommandIo): Command {
  const program = new Command('cairn')
    .description('The command-line client of Cairn, a service for versioned, structured knowledge.')
    .version(VERSION)
    .addOption(new Option('--json', 'print results as JSON').conflicts('format'))
    .addOption(new Option('--format <format>', 'output format').choices(['pretty', 'json', 'jsonl']))
    .option('--url <url>', 'server address (default: CAIRN_URL, the one in the profile, or http://localhost:8787)')
    .option('--profile <name>', 'profile to use (default: CAIRN_PROFILE, or the current profile)')
    .option('--repo <org/name>', 'repository (default: CAIRN_REPO, or the one in the nearest .cairn file)')
    .option('--live', 'keep running, and show changes to a list of records or a subscription log')
    .option('--quiet', 'print only results and errors')
    .option('--no-color', 'print without colours, as with NO_COLOR')
    .hook('preAction', (_, command) => refuseLive(command))
    .addHelpText('after', `\n${SHORTCUT_HELP}\n\n${HELP_FOOTER}`);
  addServe(program);
  addSetup(program, io);
  addAdmin(program, io);
  addMcp(program, io);
  addAuth(program, io);
  addToken(program, io);
  addOrg(program, io);
  addRepo(program, io);
  addShape(program, io);
  addThing(program, io);
  addAssertion(program, io);
  addCollection(program, io);
  addCommit(program, io);
  addStream(program, io);
  addSubscription(program, io);
  addAction(program, io);
  addCredential(program, io);
  addComponent(program, io);
  addUse(program, io);
  addPrime(program, io);
  addDoctor(program, io);
  addCompletion(program, io);
  addVerbTwins(program);
  addConfirmations(program, io);
  applyToAll(program, (command) => {
    addHelp(program, command);
    command.exitOverride().configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => {} });
  });
  return program;
}

function applyToAll(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) applyToAll(child, change);
}

export async function runCommand(given: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.done;
  const setExitCode = (given: number) => {
    code = given;
  };
  let asked: Choice | undefined;
  const onClient = (choice: Choice) => {
    asked = choice;
  };
  const commandIo = { ...io, setExitCode, onClient };
  const program = createProgram(commandIo);
  if (given[0] === COMPLETE) {
    await complete(program, io, given.slice(1));
    return EXIT.done;
  }
  let args = given;
  try {
    args = withHelp(program, given);
    await addShortcut(program, commandIo, args);
    refuseUnknownHelp(program, args);
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has already printed help and version. Help that nobody asked for means that a command is missing.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    if (error instanceof CommanderError && error.code.startsWith('commander.help')) return EXIT.usage;
    // If commander cannot parse the call, it has set no flags yet.
    const json = args.includes('--json') || formatOf(program.opts()) !== 'pretty';
    const told =
      error instanceof CommanderError
        ? wrongCall(program, args, error)
        : asked === undefined
          ? ownError(error)
          : withHint(asked, error);
    const look = errorLook(io, { color: !args.includes('--no-color') });
    printError({ io, look, format: json ? 'json' : 'pretty' }, told);
    return exitCodeOf(told);
  }
}
