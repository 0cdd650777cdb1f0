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
      'This distributes the tables over the machines of the cluster. It cannot be undone, and all nodes must be stopped.',
  },
  'admin purge': {
    says: ([repo, record], { containing, versions }) => {
      // The command itself refuses this.
      if (record === undefined && containing === undefined) return undefined;
      const which = versions === undefined && containing === undefined ? ', in all versions' : '';
      return `This permanently removes data of ${record ?? 'all records that contain the text'} in ${repo}${which}. It cannot be undone.`;
    },
    typed: first,
  },
  'admin revoke-token': {
    says: (_, { name, email }) =>
      `This revokes the token ${name} of ${email}, and all tokens that were created with it.`,
  },
  'admin rotate-secret': {
    says: () => 'This replaces the secret of the server and ends every session. All nodes must be stopped.',
  },
  'component teardown': {
    says: ([name]) =>
      `This uninstalls ${name} from the repository. Its tokens and subscriptions stop working; its data stays.`,
  },
  'component unregister': {
    says: ([name]) => `This removes ${name} from the registry. Nobody can install it any more.`,
  },
  'credential delete': { says: ([name]) => `This deletes the credential set ${name}.` },
  'credential revoke': {
    says: ([name]) => `This permanently erases the values of ${name}. Deliveries that use it will fail.`,
  },
  'credential unset': { says: ([name, key]) => `This permanently erases the value of ${key} in ${name}.` },
  'org archive': { says: ([org]) => `This makes ${org} and all its repositories read-only.`, typed: first },
  'org remove-member': {
    says: ([org, person]) => `This removes ${person} from ${org}, with every role in its repositories.`,
  },
  'repo checkpoint delete': { says: ([name]) => `This deletes the checkpoint ${name} and its file.` },
  'repo delete': { says: ([repo]) => `This deletes ${repo} with everything in it.`, typed: first },
  'repo import': {
    says: (_, { abort }) =>
      abort ? 'This aborts the running import and discards all rows that it has sent.' : undefined,
  },
  'repo transfer': {
    says: ([repo, org]) =>
      `This moves ${repo} to ${org}. From then on, the roles in ${org} decide who can read and change it.`,
    typed: first,
  },
  'repo visibility': {
    says: ([repo, visibility]) =>
      visibility === 'public' ? `This makes ${repo} public, with its whole history.` : undefined,
  },
  'subscription delete': { says: ([name]) => `This deletes the subscription ${name}. Its URLs cannot be recovered.` },
  'token revoke': { says: ([name]) => `This revokes the token ${name}, and all tokens that were created with it.` },
};

export function addConfirmations(program: Command, io: Io): void {
  for (const [path, row] of Object.entries(CONFIRMED)) {
    const command = commandAt(program, path.split(' '));
    command.option('--yes', 'do not ask for confirmation');
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
  if (!io.isTerminal || formatOf(flags) !== 'pretty') throw new UsageError(`${sentence} To confirm, add --yes.`);
  const name = typed?.(command.args);
  await askWhether(io, oneLine(sentence), name);
}

/** `typed` is the text to type instead of yes. */
export async function askWhether(io: Io, sentence: string, typed?: string): Promise<void> {
  const question = typed === undefined ? 'Continue? [y/N] ' : `Type ${typed} to continue: `;
  const answer = (await askLine(io, `${sentence}\n${question}`)).trim();
  const isMeant = typed === undefined ? /^y(es)?$/i.test(answer) : answer === typed;
  if (!isMeant) throw new UsageError('Nothing was done.');
}
