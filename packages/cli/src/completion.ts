// `cairn __complete WORD...`: prints candidates for the last word, one per line, each with a tab and a description. The
// scripts of `cairn completion` call it. It never fails, since a shell would show the error; without candidates it
// prints nothing.
import type { CairnClient } from '@cairn/sdk';
import type { Argument, Command, Option } from 'commander';
import type { Io } from './io.ts';
import { oneLine } from './look.ts';
import { choose, openImpatient } from './profile-choice.ts';
import { readProfiles } from './profile-file.ts';
import { chooseRepo, parseRepoName } from './repo-choice.ts';

type Wanted =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'value'; readonly name: string; readonly noun: string };

interface Candidate {
  readonly word: string;
  readonly about: string;
}

interface Line {
  readonly wanted: Wanted;
  readonly current: string;
  readonly flags: Readonly<Record<string, string>>;
}

/** `words` follow `cairn`. The last one is incomplete. */
function readLine(program: Command, words: readonly string[]): Line {
  const current = words.at(-1) ?? '';
  const reader = new Reader(program);
  for (const word of words.slice(0, -1)) reader.take(word);
  return { wanted: reader.wanted(current), current, flags: reader.flags };
}

class Reader {
  readonly flags: Record<string, string> = {};
  #command: Command;
  #given = 0;
  #valueOf: Option | undefined;
  readonly #used = new Set<string>();

  constructor(program: Command) {
    this.#command = program;
  }

  take(word: string): void {
    if (word.startsWith('-') && word !== '-') this.#takeFlag(word);
    else if (this.#valueOf === undefined) this.#takeWord(word);
    else this.#takeValue(word);
  }

  #takeWord(word: string): void {
    const below = this.#given === 0 ? childOf(this.#command, word) : undefined;
    if (below === undefined) this.#given += 1;
    else this.#command = below;
  }

  #takeFlag(word: string): void {
    const [flag = '', value] = word.split('=');
    const option = optionsOf(this.#command).find(({ long, short }) => long === flag || short === flag);
    this.#used.add(flag);
    if (value !== undefined) this.flags[flag] = value;
    const takesValue = option !== undefined && (option.required || option.optional) && value === undefined;
    this.#valueOf = takesValue ? option : undefined;
  }

  #takeValue(word: string): void {
    const option = this.#valueOf;
    if (option?.long !== undefined && option.long !== null) this.flags[option.long] = word;
    // A variadic flag takes values until the next flag.
    if (!option?.variadic) this.#valueOf = undefined;
  }

  wanted(current: string): Wanted {
    if (current.startsWith('-')) return { kind: 'words', words: this.#flagWords() };
    if (this.#valueOf !== undefined) return this.#valueWanted(this.#valueOf.argChoices, valueName(this.#valueOf));
    if (this.#command.commands.length > 0) {
      // After an unknown command there are no candidates.
      return { kind: 'words', words: this.#given === 0 ? childWords(this.#command) : [] };
    }
    const argument = argumentAt(this.#command, this.#given);
    return argument === undefined
      ? { kind: 'words', words: this.#flagWords() }
      : this.#valueWanted(argument.argChoices, argument.name());
  }

  #valueWanted(choices: readonly string[] | undefined, name: string): Wanted {
    if (choices !== undefined) return { kind: 'words', words: choices.map((word) => ({ word, about: '' })) };
    return { kind: 'value', name, noun: nounOf(this.#command) };
  }

  #flagWords(): Candidate[] {
    return optionsOf(this.#command)
      .filter(({ long, hidden, variadic }) => long && !hidden && (variadic || !this.#used.has(long)))
      .map(({ long, description }) => ({ word: long ?? '', about: description }));
  }
}

function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent === null
    ? own
    : [...own, ...optionsOf(command.parent).filter(({ long }) => !own.some((option) => option.long === long))];
}

/** `--shape <name>` takes a shape: if the placeholder is just `name`, the flag says what it names. */
function valueName({ long, flags }: Option): string {
  const placeholder = /[<[]([^\]>.]+)/.exec(flags)?.[1] ?? '';
  return placeholder === 'name' ? (long ?? '').replace(/^--/, '') : placeholder;
}

function childOf(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word || child.aliases().includes(word));
}

function childWords(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((child) => {
      const about = child.summary() || child.description();
      return [child.name(), ...child.aliases()].map((word) => ({ word, about }));
    });
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function nounOf(command: Command): string {
  const path: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) path.unshift(at.name());
  return path.slice(0, -1).join(' ');
}

const LIMIT = { limit: 200 };
/** Few, because records come with their data. */
const RECORDS_MAX = 50;

interface Asked {
  readonly io: Io;
  readonly line: Line;
}

type Source = (asked: Asked) => Promise<readonly string[]> | readonly string[];

/** The shell itself completes file names. */
const FILES = ':files';

const SOURCES: Readonly<Record<string, Source>> = {
  path: () => [FILES],
  file: () => [FILES],
  folder: () => [FILES],
  manifest: () => [FILES],
  profile: ({ io }) => Object.keys(readProfiles(choose(io, {}).file).profiles),
  org: organizations,
  'new-org': organizations,
  'org/repo': repositories,
  'org/name': repositories,
  shape: shapes,
  shapes,
  wref: records,
  record: records,
  add: shapePrefixes,
  revise: records,
  retract: records,
  rename: records,
  component: async (asked) => (await openRepo(asked).components.list(LIMIT)).items.map(({ component }) => component),
};

/** Sources for a plain `<name>`, by noun. */
const NAMED: Readonly<Record<string, Source>> = {
  shape: shapes,
  assertion: records,
  collection: records,
  token: async (asked) => namesIn(await open(asked).token.list(LIMIT)),
  subscription: async (asked) => namesIn(await openRepo(asked).subscriptions.list(LIMIT)),
  credential: async (asked) => namesIn(await openRepo(asked).credentials.list(LIMIT)),
  'repo checkpoint': async (asked) => namesIn(await openRepo(asked).checkpoints(LIMIT)),
};

const namesIn = ({ items }: { items: readonly { name: string }[] }) => items.map(({ name }) => name);

async function namesFor(io: Io, line: Line): Promise<readonly string[]> {
  if (line.wanted.kind !== 'value') return [];
  const { name, noun } = line.wanted;
  const source = SOURCES[name] ?? (name === 'name' || name === 'credential-set' ? NAMED[noun] : undefined);
  if (source === undefined) return [];
  try {
    return await source({ io, line });
  } catch {
    return [];
  }
}

function open({ io, line: { flags } }: Asked): CairnClient {
  const { client } = openImpatient(io, {
    ...(flags['--url'] !== undefined && { url: flags['--url'] }),
    ...(flags['--profile'] !== undefined && { profile: flags['--profile'] }),
  });
  return client;
}

function openRepo(asked: Asked) {
  const { io, line } = asked;
  const repo = line.flags['--repo'];
  const chosen = chooseRepo(io, repo === undefined ? {} : { repo });
  if (chosen === undefined) throw new Error('No repository is chosen.');
  const { orgName, repoName } = parseRepoName(chosen.repo);
  return open(asked).repo(`${orgName}/${repoName}`);
}

async function organizations(asked: Asked): Promise<string[]> {
  return namesIn(await open(asked).org.list(LIMIT));
}

async function repositories(asked: Asked): Promise<string[]> {
  const { current } = asked.line;
  const [orgName] = current.split('/');
  const within = current.includes('/') && orgName !== undefined ? { orgName } : {};
  const { items } = await open(asked).repo.list({ ...within, ...LIMIT });
  return items.map((repo) => `${repo.orgName}/${repo.name}`);
}

async function shapes(asked: Asked): Promise<string[]> {
  return namesIn(await openRepo(asked).shapes.list(LIMIT));
}

async function shapePrefixes(asked: Asked): Promise<string[]> {
  return (await shapes(asked)).map((name) => `${name}/`);
}

/** Completes the shape first, since there may be millions of records. */
async function records(asked: Asked): Promise<string[]> {
  const { current } = asked.line;
  if (!current.includes('/')) return await shapePrefixes(asked);
  if (!/^[\w./-]+$/.test(current)) return [];
  return namesIn(await openRepo(asked).things.head({ match: `${current}**`, order: 'name', limit: RECORDS_MAX }));
}

export const COMPLETE = '__complete';

/** Shells take such words unquoted. Others are quoted, because strangers choose names. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export async function complete(program: Command, io: Io, words: readonly string[]): Promise<void> {
  const line = readLine(program, words);
  const { wanted, current } = line;
  if (wanted.kind === 'words') {
    for (const { word, about } of wanted.words) if (word.startsWith(current)) io.stdout(`${word}\t${oneLine(about)}\n`);
    return;
  }
  const names = await namesFor(io, line);
  if (names.includes(FILES)) return io.stdout(`${FILES}\n`);
  for (const name of new Set(names)) if (name.startsWith(current) && PLAIN.test(name)) io.stdout(`${name}\n`);
}
