// `cairn <component> <method>`: a first word that is no noun is looked for among the components of the repository. Nouns are
// never shadowed, and cost no request.
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { installNamed } from './component-find.ts';
import { componentCommand } from './component-method.ts';
import type { CommandIo } from './io.ts';
import { chooseRepo } from './repo-choice.ts';
import { parseRepoName } from './repo-name.ts';
import { openSession } from './session.ts';

/** Adds the command that the first word means, where it means one. */
export async function addShortcut(program: Command, io: CommandIo, args: readonly string[]): Promise<void> {
  const [word] = program.parseOptions([...args]).operands;
  if (word === undefined || !isComponentName(word) || isNoun(program, word)) return;
  const { repo } = chooseRepo(io, program.opts()) ?? {};
  if (repo === undefined) return;
  const { client } = openSession(io, program);
  const name = parseRepoName(repo);
  const install = await installNamed(client, name, word).catch((error: unknown) => {
    throw notLookedFor(word, repo, error);
  });
  if (install === undefined) return;
  const called = { ...name, component: install.component, cli: install.cli };
  const open = (command: Command) => openSession(io, command);
  program.addCommand(componentCommand(word, program, { called, open }));
}

const isComponentName = (word: string) => /^[a-z][a-z0-9-]{0,63}$/.test(word);

function isNoun(program: Command, word: string): boolean {
  return word === 'help' || program.commands.some((noun) => noun.name() === word || noun.aliases().includes(word));
}

/** Most often a mistyped noun: both what is wrong with the word, and why nothing was found for it. */
function notLookedFor(word: string, repo: string, error: unknown): unknown {
  if (!(error instanceof CairnError)) return error;
  const { code, message, ...rest } = error.fields;
  return new CairnError(code, {
    ...rest,
    message: `Unknown command '${word}'. Whether it is a component of ${repo} cannot be said: ${message} See --help.`,
  });
}
