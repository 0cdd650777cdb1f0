// What stands where the cursor is on an unfinished command line, read from the tree of commands itself.
import type { Argument, Command, Option } from 'commander';

/** What can be written there. */
export type Wanted =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  | { readonly kind: 'value'; readonly name: string; readonly noun: string };

export interface Candidate {
  readonly word: string;
  readonly about: string;
}

export interface Line {
  readonly wanted: Wanted;
  /** What is written of it so far. */
  readonly current: string;
  /** The values of flags before it, such as `--repo`. */
  readonly flags: Readonly<Record<string, string>>;
}

/** `words` are those after `cairn`; the last is the one that is being written. */
export function readLine(program: Command, words: readonly string[]): Line {
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
    // One that takes several goes on until the next flag.
    if (!option?.variadic) this.#valueOf = undefined;
  }

  wanted(current: string): Wanted {
    if (current.startsWith('-')) return { kind: 'words', words: this.#flagWords() };
    if (this.#valueOf !== undefined) return this.#valueWanted(this.#valueOf.argChoices, valueName(this.#valueOf));
    if (this.#command.commands.length > 0) {
      // After a word that is no command, nobody knows.
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

/** Its own, and those of all above it. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent === null
    ? own
    : [...own, ...optionsOf(command.parent).filter(({ long }) => !own.some((option) => option.long === long))];
}

/** `--shape <name>` is a shape, `--file <path>` a path: the flag says it where the placeholder does not. */
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
