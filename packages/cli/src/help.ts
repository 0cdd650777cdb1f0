// Adds descriptions, global flags and examples to each `--help`. Also fixes `cairn help NOUN VERB`, where commander
// ignores the verb.
import { type Command, CommanderError } from 'commander';
import { examplesText } from './examples.ts';
import { EXIT } from './exit-codes.ts';
import { pathOf } from './wrong-call.ts';

/** By command path: commands whose summary says too little. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'assertion add':
    'Adds a record that says something about another one. It is pinned to the version that the other has now, and is a record of its own, with a name, versions and a shape.',
  'assertion revise':
    'Gives an assertion another version, with all of its data: what --data leaves out is gone from it. What it is about stays.',
  'collection add':
    'Adds a record that groups others: a set or a list of any size, or an arc, a bond or a pair of two.',
  'commit submit':
    'Writes one commit: records that are added, revised, retracted or renamed. All of its operations are applied or, when one is refused, none. For one operation there are flags (--add NAME --data JSON); for many, --file or --ops.',
  'commit log': 'Lists the commits of the repository, the newest first: when, by whom, and how many operations.',
  'commit receipt':
    'Shows what a commit was answered that you sent with --submission-id: whether it was applied, when the answer was lost on the way.',
  'repo export':
    'Writes the repository, or with --since what changed in it, into a file, one line a record. cairn repo import reads it again.',
  'repo import':
    'Reads what cairn repo export wrote: everything into an empty repository, or what changed since into a copy that was made so.',
  'shape create':
    'Creates a shape: which fields its records have, and of which type. A ? behind a field says that it may be left out. Records are then added with cairn commit submit --add SHAPE/NAME.',
  'shape revise':
    'Gives a shape another version, with all of its fields: what is left out is declared no more. Records that are there stay as they are.',
  'shape retract': 'Retracts a shape: no record of it can be added any more. Those that are there stay.',
  'stream submit':
    'Sends operations from a file or a pipe, one a line, as many as there are. They are applied in commits of many lines; a line that is refused is passed over, and a cut is gone on after.',
  'thing about': 'Lists the assertions about a record: what is said of it, and of which of its versions.',
  'thing changes': 'Lists which records were added, revised, retracted or renamed after a sequence, one line a record.',
  'thing diff': 'Shows what is different in the data of one record since a sequence, field by field.',
  'thing get':
    'Shows a record with its data, or several. A name is Shape/name; @v3 behind it asks for its third version, and --at 7 for what it was after the seventh commit.',
  'thing graph': 'Shows the records around a record: what it refers to and what refers to it, and so on for --depth.',
  'thing head':
    'Lists the records of the repository as they are, or with --at as they were. cairn thing query also finds them by words and by what they are about.',
  'thing query':
    'Lists the records that meet all conditions: of fields (--where depth:gte:40, with --shape), by words (--q), by what they are about (--about).',
  'thing refs':
    'Lists what a record refers to, and which records refer to it: by a field, as a member, as what they are about.',
  'token create':
    'Creates a token, which can do no more than the one that makes it. --scope says what it may: PERMISSION everywhere, or ORG/REPO=PERMISSION in one place.',
};

export function addHelp(program: Command, command: Command): void {
  const path = pathOf(command).replace(/^cairn ?/, '');
  const isVerb = command.commands.length === 0;
  if (isVerb && command.description() === '') command.description(DESCRIPTIONS[path] ?? sentence(command.summary()));
  command.addHelpText('after', () => `\n${isVerb ? `${globalFlags(program)}\n\n` : ''}${examplesText(command)}`);
}

const sentence = (summary: string) => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

/** `--live` applies to some commands only, which document it themselves. */
const NOT_FOR_ALL = ['--version', '--live'];

function globalFlags({ options }: Command): string {
  const flags = options.map(({ long = '' }) => long).filter((long) => !NOT_FOR_ALL.includes(long));
  return `Flags of every command, which cairn --help explains:\n  ${flags.join(' ')}`;
}

/** Turns `help thing get` into `thing get --help`, which also works for component methods, added later. */
export function withHelp(program: Command, args: readonly string[]): readonly string[] {
  const [word, noun] = program.parseOptions([...args]).operands;
  if (word !== 'help' || noun === undefined) return args;
  return [...args.toSpliced(args.indexOf(word), 1), '--help'];
}

/** Commander ignores an unknown word and shows the help of the parent. */
export function refuseUnknownHelp(program: Command, args: readonly string[]): void {
  if (!args.some((word) => word === '--help' || word === '-h')) return;
  let command = program;
  for (const word of program.parseOptions([...args]).operands) {
    const next = command.commands.find((child) => child.name() === word || child.aliases().includes(word));
    if (command.commands.length === 0 || word === 'help') return;
    if (next === undefined)
      throw new CommanderError(EXIT.usage, 'commander.unknownCommand', `unknown command '${word}'`);
    command = next;
  }
}
