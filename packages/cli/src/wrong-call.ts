// A call that commander could not read, told so that the right one is near: what was probably meant, and where to look.
import type { Command, CommanderError } from 'commander';
import { UsageError } from './exit-codes.ts';
import { nearest } from './nearest.ts';

export function wrongCall(program: Command, args: readonly string[], { message, code }: CommanderError): UsageError {
  const [sentence = '', similar] = message.replace(/^error: /, '').split('\n(');
  const said = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  const ended = /[.!?)]$/.test(said) ? said : `${said}.`;
  const isUnknown = code === 'commander.unknownCommand';
  const meant =
    (isUnknown ? otherNoun(program, args) : undefined) ??
    similar?.replace(/\)$/, '') ??
    (isUnknown ? otherVerb(program, args) : choice(message));
  return new UsageError([ended, ...(meant === undefined ? [] : [meant]), seeHelp(program, args)].join(' '));
}

/** The help of the command that was called wrongly, as far as its words are right. */
function seeHelp(program: Command, args: readonly string[]): string {
  return `See ${pathOf(calledBy(program, args))} --help.`;
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function calledBy(program: Command, args: readonly string[]): Command {
  let found = program;
  for (const word of args) {
    const next = found.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (next === undefined && found !== program && !word.startsWith('-')) break;
    found = next ?? found;
  }
  return found;
}

/** One of the words that a flag or an argument takes. */
function choice(message: string): string | undefined {
  const [, given = '', choices] = /'([^']*)' is invalid.*Allowed choices are (.*)\.$/s.exec(message) ?? [];
  const [meant] = choices === undefined ? [] : nearest(given, choices.split(', '));
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** Words that other programs have for the same. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['view', 'get', 'show', 'describe', 'cat', 'info'],
  ['list', 'ls', 'head', 'all'],
  ['create', 'add', 'new', 'make', 'register'],
  ['delete', 'remove', 'rm', 'destroy', 'retract', 'teardown', 'revoke'],
  ['update', 'edit', 'set', 'change', 'modify', 'revise'],
  ['rename', 'mv', 'move'],
  ['log', 'history'],
  ['login', 'signin', 'sign-in'],
  ['logout', 'signout', 'sign-out'],
];

/** Words that other programs have for the same things. */
const NOUNS: Readonly<Record<string, readonly string[]>> = {
  thing: ['record', 'records', 'things', 'item', 'object', 'entity'],
  shape: ['schema', 'shapes', 'type', 'model'],
  repo: ['repository', 'repositories', 'repos'],
  org: ['organization', 'orgs'],
  subscription: ['webhook', 'webhooks', 'hook'],
  credential: ['secret', 'secrets'],
};

const RECORD_NOUNS: readonly string[] = ['thing', 'assertion', 'collection'];
const REMOVING: readonly string[] = ['retract', 'delete', 'remove', 'rm'];

function otherVerb(program: Command, args: readonly string[]): string | undefined {
  const called = calledBy(program, args);
  const word = args.find((given) => !given.startsWith('-') && !isOnPath(called, given)) ?? '';
  if (RECORD_NOUNS.includes(called.name()) && REMOVING.includes(word)) {
    return 'Records are retracted by a commit: cairn commit submit --retract NAME.';
  }
  const same = SYNONYMS.find((words) => words.includes(word)) ?? [];
  const verb = same.find((name) => called.commands.some((command) => command.name() === name));
  if (verb !== undefined) return `Did you mean ${verb}?`;
  if (called !== program) return undefined;
  const nouns = program.commands.filter(({ commands }) => commands.some((command) => command.name() === word));
  if (nouns.length === 0) return undefined;
  return `Say of what: ${nouns.map((noun) => `cairn ${noun.name()} ${word}`).join(', ')}.`;
}

function otherNoun(program: Command, args: readonly string[]): string | undefined {
  const word = args.find((given) => !given.startsWith('-')) ?? '';
  if (calledBy(program, args) !== program) return undefined;
  const noun = Object.keys(NOUNS).find((name) => NOUNS[name]?.includes(word));
  return noun === undefined ? undefined : `Did you mean ${noun}?`;
}

function isOnPath(command: Command, word: string): boolean {
  if (command.parent === null) return false;
  return command.name() === word || command.aliases().includes(word) || isOnPath(command.parent, word);
}
