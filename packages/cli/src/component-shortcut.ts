// `cairn <component> <method>`: a first word that is no noun is looked for among the components of the repository. Nouns are
// never shadowed, and cost no request.
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { installNamed } from './component-find.ts';
import { componentCommand } from './component-method.ts';
import { UsageError } from './exit-codes.ts';
import type { CommandIo } from './io.ts';
import { chooseRepo } from './repo-choice.ts';
import { parseRepoName } from './repo-name.ts';
import { openSession } from './session.ts';
import { meantBy } from './wrong-call.ts';

/** Adds the command that the first word means, where it means one. */
export async function addShortcut(program: Command, io: CommandIo, args: readonly string[]): Promise<void> {
  const [word, method] = program.parseOptions([...args]).operands;
  if (word === undefined || !isComponentName(word) || isNoun(program, word)) return;
  const { repo } = chooseRepo(io, program.opts()) ?? {};
  if (repo === undefined) return;
  const { client } = openSession(io, program);
  const name = parseRepoName(repo);
  const install = await installNamed(client, name, word).catch((error: unknown) => {
    const meant = meantBy(program, args);
    // Without a method it is no call of a component either.
    const isWrong = meant !== undefined || method === undefined;
    throw notLookedFor({ word, repo, ...(isWrong && { advice: `${meant ?? ''} See cairn --help.`.trim() }) }, error);
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

interface NotLookedFor {
  readonly word: string;
  readonly repo: string;
  /** Where the word was most likely mistyped: what it was to be. */
  readonly advice?: string;
}

/** A mistyped noun is a wrong call, whatever the server would say. A call of a component that may be there is none. */
function notLookedFor({ word, repo, advice }: NotLookedFor, error: unknown): unknown {
  if (!(error instanceof CairnError)) return error;
  if (advice !== undefined) return new UsageError(`Unknown command '${word}'. ${advice}`);
  const { code, message, ...rest } = error.fields;
  return new CairnError(code, {
    ...rest,
    message: `Unknown command '${word}'. Whether it is a component of ${repo} cannot be said: ${message} See --help.`,
  });
}
