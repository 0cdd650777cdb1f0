// Commands that are hard to undo need a confirmation: a question on a terminal, `--yes` elsewhere. They destroy
// something for good, make something public, or stop the work of many.
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { oneLine } from './look.ts';
import { askLine } from './prompt.ts';
import { formatOf, type GlobalFlags } from './session.ts';

type Flags = Readonly<Record<string, unknown>>;

interface Confirmed {
  /** Describes the effect in a sentence; undefined if no confirmation is needed. */
  readonly says: (args: readonly string[], flags: Flags) => string | undefined;
  /** Text to type, for commands where a plain yes is too easy. */
  readonly typed?: (args: readonly string[]) => string;
}

const first = ([name = '']: readonly string[]) => name;

export const CONFIRMED: Readonly<Record<string, Confirmed>> = {
  'admin distribute': {
    says: () =>
      'This spreads the tables over the machines of the cluster, which no command undoes. All nodes must be stopped.',
  },
  'admin purge': {
    says: ([repo, record], { containing, versions }) => {
      // The command itself refuses this.
      if (record === undefined && containing === undefined) return undefined;
      const which = versions === undefined && containing === undefined ? ', of all versions' : '';
      return `This removes data of ${record ?? 'all records that hold the text'} in ${repo} for good${which}. It cannot be brought back.`;
    },
    typed: first,
  },
  'admin revoke-token': {
    says: (_, { name, email }) => `This ends the token ${name} of ${email}, and all that descend from it.`,
  },
  'admin rotate-secret': {
    says: () => 'This gives the server another secret, and ends every session. All nodes must be stopped.',
  },
  'component teardown': {
    says: ([name]) => `This ends ${name} in the repository: its tokens and subscriptions stop. What it wrote stays.`,
  },
  'component unregister': {
    says: ([name]) => `This takes ${name} out of the registry: nobody can install it any more.`,
  },
  'credential delete': { says: ([name]) => `This deletes the credential set ${name}.` },
  'credential revoke': {
    says: ([name]) => `This erases the values of ${name}, at once and for good: deliveries with it fail from now on.`,
  },
  'credential unset': { says: ([name, key]) => `This erases ${key} of ${name}: what it was cannot be shown again.` },
  'org archive': { says: ([org]) => `This lets ${org} and all its repositories take no more writes.`, typed: first },
  'org remove-member': {
    says: ([org, person]) => `This ends the membership of ${person} in ${org}, and every role in its repositories.`,
  },
  'repo checkpoint delete': { says: ([name]) => `This gives up the checkpoint ${name}, and the file that it keeps.` },
  'repo delete': { says: ([repo]) => `This deletes ${repo} with everything in it.`, typed: first },
  'repo import': {
    says: (_, { abort }) =>
      abort ? 'This gives up the import that is under way, and all that it has brought.' : undefined,
  },
  'repo transfer': {
    says: ([repo, org]) => `This moves ${repo} to ${org}: who may see and change it is decided there from now on.`,
    typed: first,
  },
  'repo visibility': {
    says: ([repo, visibility]) =>
      visibility === 'public' ? `This opens ${repo} to everyone, with its whole history.` : undefined,
  },
  'subscription delete': { says: ([name]) => `This ends the subscription ${name}: its URLs cannot be shown again.` },
  'token revoke': { says: ([name]) => `This ends the token ${name}, and all that descend from it.` },
};

export function addConfirmations(program: Command, io: Io): void {
  for (const [path, row] of Object.entries(CONFIRMED)) {
    const command = commandAt(program, path.split(' '));
    command.option('--yes', 'do not ask whether you mean it');
    command.hook('preAction', () => confirm(io, command, row));
  }
}

function commandAt(program: Command, words: readonly string[]): Command {
  const found = words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    program,
  );
  if (found === undefined) throw new Error(`There is no command ${words.join(' ')} to confirm.`);
  return found;
}

async function confirm(io: Io, command: Command, { says, typed }: Confirmed): Promise<void> {
  const flags: GlobalFlags & { yes?: true } = command.optsWithGlobals();
  const sentence = says(command.args, { ...flags });
  if (flags.yes || sentence === undefined) return;
  // Programs that read JSON do not answer questions.
  if (!io.isTerminal || formatOf(flags) !== 'pretty') throw new UsageError(`${sentence} If you mean it, add --yes.`);
  const name = typed?.(command.args);
  await askWhether(io, oneLine(sentence), name);
}

/** `typed` is the text to type instead of yes. */
export async function askWhether(io: Io, sentence: string, typed?: string): Promise<void> {
  const question = typed === undefined ? 'Go on? [y/N] ' : `Type ${typed} to go on: `;
  const answer = (await askLine(io, `${sentence}\n${question}`)).trim();
  const isMeant = typed === undefined ? /^y(es)?$/i.test(answer) : answer === typed;
  if (!isMeant) throw new UsageError('Nothing was done.');
}
