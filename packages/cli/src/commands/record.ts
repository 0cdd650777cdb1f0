// `cairn assertion` and `cairn collection`: records about other records, and records that group them.
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { JSON_WAYS, readJson } from '../input.ts';
import type { CommandIo } from '../io.ts';
import {
  addChange,
  addRetract,
  addSkipExisting,
  addSubmission,
  type ChangeFlags,
  expectationOf,
  submitOperations,
} from '../submission.ts';
import { addKindList } from './thing-list.ts';

export function addAssertion(program: Command, io: CommandIo): void {
  const assertion = program.command('assertion').summary('records that say something about other records');
  addKindList(assertion, io, 'assertion');
  const add = assertion.command('add <name>').requiredOption('--about <wref>', 'the record that it is about');
  addSubmission(addSkipExisting(addData(add)))
    .summary('add an assertion about a record; cairn thing get shows it')
    .action(async (name: string, flags: DataFlags & { about: string }, command: Command) => {
      const operation = { operation: 'add', kind: 'assertion', name, about: flags.about };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
  addChange(addData(assertion.command('revise <name>')))
    .summary('create a new version of an assertion, with all of its data')
    .action(async (name: string, flags: DataFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'assertion', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
  addRetract(assertion, io, 'assertion');
}

interface DataFlags {
  readonly data?: string;
  readonly file?: string;
}

function addData(command: Command): Command {
  return command
    .option('--data <json>', `its data, such as '{"safe":true}'; ${JSON_WAYS}`)
    .option('--file <path>', 'read the data from a JSON file; - is standard input');
}

function dataOf(io: CommandIo, { data, file }: DataFlags): Promise<unknown> {
  return readJson(io, { text: data, file, flag: '--data' });
}

export function addCollection(program: Command, io: CommandIo): void {
  const collection = program.command('collection').summary('records that group other records');
  addKindList(collection, io, 'collection');
  const type = new Option('--type <type>', 'type of the collection').choices(COLLECTION_TYPES);
  const add = collection.command('add').addOption(type.makeOptionMandatory());
  addSubmission(
    addSkipExisting(addMembers(add).option('--name <name>', 'its name (default: derived from its members)')),
  )
    .summary('add a collection of records; cairn thing get shows it')
    .action(async (flags: MemberFlags & { type: string; name?: string }, command: Command) => {
      const { type, name } = flags;
      const operation = { operation: 'add', kind: 'collection', type, name };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
  addChange(addMembers(collection.command('revise <name>')))
    .summary('create a new version of a collection, with all of its members')
    .action(async (name: string, flags: MemberFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'collection', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
  addRetract(collection, io, 'collection');
}

interface MemberFlags {
  readonly member?: readonly string[];
}

function addMembers(command: Command): Command {
  const append = (wref: string, before: readonly string[] = []) => [...before, wref];
  return command.option('--member <wref>', 'a member; repeat it for each one, in order', append);
}

/** An empty list is more likely a mistake: it would empty a revised set. */
function membersOf({ member }: MemberFlags): readonly string[] {
  if (member !== undefined) return member;
  throw new UsageError('Name the members: --member WREF, repeated for each one, in order.');
}
