// Explains calls that commander cannot parse: suggests a correction and the help page.
import { nearest } from '@cairn/protocol/nearest';
import type { Command, CommanderError } from 'commander';
import { UsageError } from './exit-codes.ts';
import { shellWord } from './look.ts';

export function wrongCall(program: Command, args: readonly string[], { message, code }: CommanderError): UsageError {
  const [sentence = '', similar] = message.replace(/^error: /, '').split('\n(');
  // Commander reports the first name of a command, even if its alias was used.
  const { command, words } = calledBy(program, args);
  const told = sentence.replace(`arguments for '${command.name()}'`, `arguments for '${words.at(-1)}'`);
  const said = `${told.charAt(0).toUpperCase()}${told.slice(1)}`;
  const ended = /[.!?)]$/.test(said) ? said : `${said}.`;
  const meant =
    code === 'commander.unknownCommand'
      ? meantBy(program, args)
      : (similar?.replace(/\)$/, '') ?? choice(message) ?? flagMeant(command, code));
  return new UsageError([ended, ...(meant === undefined ? [] : [meant]), seeHelp(program, args)].join(' '));
}

/** `price:lt:9`, `owner:exists`. */
const CONDITION = /^[^:]+:(eq|ne|gt|gte|lt|lte|prefix|in|exists)(:|$)/;

/** Users often forget that a list takes its shape and conditions by flags, and setup its code. */
function flagMeant(command: Command, code: string): string | undefined {
  const word = command.args[command.registeredArguments.length];
  if (code !== 'commander.excessArguments' || word === undefined) return undefined;
  const takes = (flag: string) => command.options.some(({ long }) => long === flag);
  if (takes('--code')) return `Did you mean --code ${shellWord(word)}?`;
  if (takes('--where') && CONDITION.test(word))
    return `Repeat the flag for each condition: --where ${shellWord(word)}.`;
  return takes('--shape') && command.opts().shape === undefined ? `Did you mean --shape ${word}?` : undefined;
}

export function meantBy(program: Command, args: readonly string[]): string | undefined {
  return otherNoun(program, args) ?? otherVerb(program, args) ?? aloneMeant(program, args) ?? nearWord(program, args);
}

function nearWord(program: Command, args: readonly string[]): string | undefined {
  const { command } = calledBy(program, args);
  const words = command.commands.flatMap((child) => [child.name(), ...child.aliases()]);
  const near = nearest(unknownWord(program, args), words);
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
}

function unknownWord(program: Command, args: readonly string[]): string {
  const { command } = calledBy(program, args);
  return args.find((given) => !given.startsWith('-') && !isOnPath(command, given)) ?? '';
}

/** Points to the help of the longest valid prefix of the call, with aliases as typed. */
function seeHelp(program: Command, args: readonly string[]): string {
  return `See ${[program.name(), ...calledBy(program, args).words].join(' ')} --help.`;
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

interface Called {
  readonly command: Command;
  readonly words: readonly string[];
}

function calledBy(program: Command, args: readonly string[]): Called {
  let command = program;
  const words: string[] = [];
  for (const word of args) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (next === undefined && command !== program && !word.startsWith('-')) break;
    if (next === undefined) continue;
    command = next;
    words.push(word);
  }
  return { command, words };
}

function choice(message: string): string | undefined {
  const [, given = '', choices] = /'([^']*)' is invalid.*Allowed choices are (.*)\.$/s.exec(message) ?? [];
  const [meant] = choices === undefined ? [] : nearest(given, choices.split(', '));
  return meant === undefined ? undefined : `Did you mean ${meant}?`;
}

/** Words of other programs for the same commands. */
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

const NOUNS: Readonly<Record<string, readonly string[]>> = {
  thing: ['record', 'records', 'things', 'item', 'object', 'entity'],
  shape: ['schema', 'shapes', 'type', 'model'],
  repo: ['repository', 'repositories', 'repos'],
  org: ['organization', 'orgs'],
  subscription: ['webhook', 'webhooks', 'hook'],
  credential: ['secret', 'secrets'],
};

/** Verbs of other programs for changes that go into a commit. */
const WRITES = [
  { verbs: ['add', 'create', 'new', 'make'], done: 'added', flags: '--add NAME --data JSON' },
  {
    verbs: ['revise', 'update', 'edit', 'set', 'change', 'modify'],
    done: 'revised',
    flags: '--revise NAME --data JSON',
  },
  { verbs: ['retract', 'delete', 'remove', 'rm'], done: 'retracted', flags: '--retract NAME' },
] as const;

const WRITTEN_NOUNS: readonly string[] = ['thing', 'assertion', 'collection', 'commit'];

const writeOf = (word: string) => WRITES.find(({ verbs }) => verbs.some((verb) => verb === word));

const ALONE: readonly { readonly words: readonly string[]; readonly meant: string }[] = [
  {
    words: ['setup', 'init', 'bootstrap', 'install'],
    meant: 'Did you mean cairn setup --code LINK, with the link that the server printed?',
  },
  {
    words: ['server', 'start', 'run', 'up'],
    meant: 'Did you mean cairn serve? To create the first owner of a running server: cairn setup --code LINK.',
  },
];

function aloneMeant(program: Command, args: readonly string[]): string | undefined {
  const word = unknownWord(program, args);
  const found = ALONE.find(({ words }) => words.includes(word));
  const alone = program.commands.find((command) => command.name() === word && command.commands.length === 0);
  return found?.meant ?? (alone && `Did you mean cairn ${word}?`);
}

function otherVerb(program: Command, args: readonly string[]): string | undefined {
  const { command: called } = calledBy(program, args);
  const word = unknownWord(program, args);
  const same = SYNONYMS.find((words) => words.includes(word)) ?? [];
  const verb = same.find((name) => called.commands.some((command) => command.name() === name));
  if (verb !== undefined) return `Did you mean ${verb}?`;
  const write = writeOf(word);
  if (write !== undefined && WRITTEN_NOUNS.includes(called.name())) {
    return `Records are ${write.done} with a commit: cairn commit submit ${write.flags}.`;
  }
  if (called !== program) return undefined;
  const nouns = program.commands.filter(({ commands }) =>
    commands.some((command) => command.name() === word || command.aliases().includes(word)),
  );
  const commands = [
    ...nouns.map((noun) => `cairn ${noun.name()} ${word}`),
    ...(write === undefined ? [] : [`cairn commit submit ${write.flags}`]),
  ];
  if (commands.length === 1) return `Did you mean ${commands[0]}?`;
  return commands.length === 0 ? undefined : `Say which one: ${commands.join(', ')}.`;
}

function otherNoun(program: Command, args: readonly string[]): string | undefined {
  const word = args.find((given) => !given.startsWith('-')) ?? '';
  if (calledBy(program, args).command !== program) return undefined;
  const noun = Object.keys(NOUNS).find((name) => NOUNS[name]?.includes(word));
  return noun === undefined ? undefined : `Did you mean ${noun}?`;
}

function isOnPath(command: Command, word: string): boolean {
  if (command.parent === null) return false;
  return command.name() === word || command.aliases().includes(word) || isOnPath(command.parent, word);
}
