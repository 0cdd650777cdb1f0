import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
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

export function addCollection(program: Command, io: CommandIo): void {
  const collection = program.command('collection').summary('records that group others');
  addKindList(collection, io, 'collection');
  addAdd(collection, io);
  addRevise(collection, io);
  addRetract(collection, io, 'collection');
}

interface MemberFlags {
  readonly member?: readonly string[];
}

function addMembers(command: Command): Command {
  const append = (wref: string, before: readonly string[] = []) => [...before, wref];
  return command.option('--member <wref>', 'a member; once for each, in order', append);
}

/** None at all is more likely forgotten than meant: it would empty a set that is revised. */
function membersOf({ member }: MemberFlags): readonly string[] {
  if (member !== undefined) return member;
  throw new UsageError('Name the members: --member WREF, once for each, in order.');
}

interface AddFlags extends MemberFlags {
  readonly type: (typeof COLLECTION_TYPES)[number];
  readonly name?: string;
}

function addAdd(collection: Command, io: CommandIo): void {
  const type = new Option('--type <type>', 'how its members belong together').choices(COLLECTION_TYPES);
  const add = collection.command('add').addOption(type.makeOptionMandatory());
  addSubmission(addSkipExisting(addMembers(add).option('--name <name>', 'its name (default: made from its members)')))
    .summary('group records; to read the group, see thing get')
    .action(async (flags: AddFlags, command: Command) => {
      const { type, name } = flags;
      const operation = { operation: 'add', kind: 'collection', type, ...(name !== undefined && { name }) };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
}

function addRevise(collection: Command, io: CommandIo): void {
  addChange(addMembers(collection.command('revise <name>')))
    .summary('give a collection a new version: all its members')
    .action(async (name: string, flags: MemberFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'collection', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, members: membersOf(flags) }] });
    });
}
