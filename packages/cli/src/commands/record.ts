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
  const assertion = program.command('assertion').summary('what is said about records');
  addKindList(assertion, io, 'assertion');
  addAssertionAdd(assertion, io);
  addAssertionRevise(assertion, io);
  addRetract(assertion, io, 'assertion');
}

interface DataFlags {
  readonly data?: string;
  readonly file?: string;
}

function addData(command: Command): Command {
  return command
    .option('--data <json>', `what it says, such as '{"safe":true}'; ${JSON_WAYS}`)
    .option('--file <path>', 'read the data from a JSON file; - is standard input');
}

function dataOf(io: CommandIo, { data, file }: DataFlags): Promise<unknown> {
  return readJson(io, { text: data, file, flag: '--data' });
}

function addAssertionAdd(assertion: Command, io: CommandIo): void {
  const add = assertion.command('add <name>').requiredOption('--about <wref>', 'the record that it is about');
  addSubmission(addSkipExisting(addData(add)))
    .summary('say something about a record; to read it, see thing get')
    .action(async (name: string, flags: DataFlags & { about: string }, command: Command) => {
      const operation = { operation: 'add', kind: 'assertion', name, about: flags.about };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
}

function addAssertionRevise(assertion: Command, io: CommandIo): void {
  addChange(addData(assertion.command('revise <name>')))
    .summary('give an assertion a new version: the whole data; what it is about stays')
    .action(async (name: string, flags: DataFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'assertion', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
}

export function addCollection(program: Command, io: CommandIo): void {
  const collection = program.command('collection').summary('records that group others');
  addKindList(collection, io, 'collection');
  addCollectionAdd(collection, io);
  addCollectionRevise(collection, io);
  addRetract(collection, io, 'collection');
}

interface MemberFlags {
  readonly member?: readonly string[];
}

function addMembers(command: Command): Command {
  const append = (wref: string, before: readonly string[] = []) => [...before, wref];
  return command.option('--member <wref>', 'a member; once for each, in order', append);
}

/** An empty list is more likely a mistake: it would empty a revised set. */
function membersOf({ member }: MemberFlags): readonly string[] {
  if (member !== undefined) return member;
  throw new UsageError('Name the members: --member WREF, once for each, in order.');
}

interface AddFlags extends MemberFlags {
  readonly type: (typeof COLLECTION_TYPES)[number];
  readonly name?: string;
}

function addCollectionAdd(collection: Command, io: CommandIo): void {
  const type = new Option('--type <type>', 'how its members belong together').choices(COLLECTION_TYPES);
  const add = collection.command('add').addOption(type.makeOptionMandatory());
  addSubmission(addSkipExisting(addMembers(add).option('--name <name>', 'its name (default: made from its members)')))
    .summary('group records; to read the group, see thing get')
    .action(async (flags: AddFlags, command: Command) => {
      const { type, name } = flags;
      const operation = { operation: 'add', kind: 'collection', type, name };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
}

function addCollectionRevise(collection: Command, io: CommandIo): void {
  addChange(addMembers(collection.command('revise <name>')))
    .summary('give a collection a new version: all its members')
    .action(async (name: string, flags: MemberFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'collection', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
}
