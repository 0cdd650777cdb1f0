import type { Command } from 'commander';
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
  addAdd(assertion, io);
  addRevise(assertion, io);
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

function addAdd(assertion: Command, io: CommandIo): void {
  const add = assertion.command('add <name>').requiredOption('--about <wref>', 'the record that it is about');
  addSubmission(addSkipExisting(addData(add)))
    .summary('say something about a record; to read it, see thing get')
    .action(async (name: string, flags: DataFlags & { about: string }, command: Command) => {
      const operation = { operation: 'add', kind: 'assertion', name, about: flags.about };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
}

function addRevise(assertion: Command, io: CommandIo): void {
  addChange(addData(assertion.command('revise <name>')))
    .summary('give an assertion a new version: the whole data; what it is about stays')
    .action(async (name: string, flags: DataFlags & ChangeFlags, command: Command) => {
      const operation = { operation: 'revise', kind: 'assertion', name, ...expectationOf(flags) };
      await submitOperations(io, command, { operations: [{ ...operation, data: await dataOf(io, flags) }] });
    });
}
