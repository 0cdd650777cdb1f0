// Adds descriptions, global flags and examples to each `--help`. Also fixes `cairn help NOUN VERB`, where commander
// ignores the verb.
import { type Command, CommanderError } from 'commander';
import { examplesText } from './examples.ts';
import { EXIT } from './exit-codes.ts';
import { pathOf } from './wrong-call.ts';

/** By command path: commands whose summary says too little. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'assertion add':
    'Adds an assertion: a record that says something about another record, pinned to the current version of that record. An assertion has a name, versions and a shape of its own.',
  'assertion revise':
    'Creates a new version of an assertion. --data replaces all of its data. The record that it is about stays the same.',
  'collection add':
    'Adds a collection: a record that groups others. A set or list has any number of members, an arc, bond or pair has two.',
  'commit submit':
    'Writes one commit, which adds, revises, retracts or renames records. If an operation is refused, none is applied. For a single operation use flags (--add NAME --data JSON), for several --file or --ops.',
  'commit log':
    'Lists the commits of the repository, newest first, with message, author, time and number of operations.',
  'commit receipt':
    'Shows the result of a commit that you sent with --submission-id. Use it to find out whether a commit without an answer was applied.',
  'repo export':
    'Writes the repository to a file, one record per line. With --since, writes only what changed after that sequence. cairn repo import reads the file.',
  'repo import':
    'Imports a file from cairn repo export: a full export into an empty repository, or an increment into a copy that was imported before.',
  'shape create':
    'Creates a shape, which declares the fields of its records and their types. A ? after the name of a field makes it optional. To add records, use cairn commit submit --add SHAPE/NAME.',
  'shape revise':
    'Creates a new version of a shape. Give all of its fields: a field that you leave out is no longer declared. Existing records do not change.',
  'shape retract': 'Retracts a shape, so that no more records of it can be added. Existing records stay.',
  'stream submit':
    'Sends any number of operations from a file or a pipe, one per line. The server applies them in commits of many lines and skips refused lines. An interrupted stream resumes where it stopped.',
  'thing about': 'Lists the assertions about a record, and the version of the record that each is about.',
  'thing changes': 'Lists the records that were added, revised, retracted or renamed after a sequence, one per line.',
  'thing diff': 'Shows how the data of a record has changed since a sequence, field by field.',
  'thing get':
    'Shows one or more records with their data. Shape/name names a record, Shape/name@v3 its third version. --at 7 shows a record as of commit 7.',
  'thing graph':
    'Shows the records around a record: those that it refers to and those that refer to it, up to --depth references away.',
  'thing head':
    'Lists the records of the repository as they are now, or as they were with --at. cairn thing query also finds them by words and by what they are about.',
  'thing query':
    'Lists the records that meet all conditions: on fields (--where depth:gte:40, with --shape), on words (--q), and on the record that they are about (--about).',
  'thing refs':
    'Lists the records that a record refers to, and those that refer to it: with a field, as a member, or as an assertion about it.',
  'token create':
    'Creates a token. A token cannot do more than the credentials that create it. --scope sets its permissions: PERMISSION applies everywhere, ORG/REPO=PERMISSION in one place.',
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
  return `Global flags (see cairn --help):\n  ${flags.join(' ')}`;
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
