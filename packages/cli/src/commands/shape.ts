// `cairn shape`: the schemas of records.
import { nearest } from '@cairn/protocol/nearest';
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import {
  addPaging,
  addSequence,
  type PagingFlags,
  pagingOf,
  type SequenceFlags,
  sequenceFlagsOf,
  wholeNumber,
} from '../flags.ts';
import { JSON_WAYS, readJson } from '../input.ts';
import type { Io } from '../io.ts';
import { hinted, isShapeThere, orNear, shapeNames } from '../near-name.ts';
import type { RepoName } from '../repo-choice.ts';
import { openSession, repoOf, type Session } from '../session.ts';
import { collectionTypeOf } from './record.ts';
import { addRename } from './thing.ts';

const COLUMNS = ['name', 'version', 'active', 'repoSeq', 'data'];

export function addShape(program: Command, io: Io): void {
  const shape = program.command('shape').summary('shapes: the schemas of records');
  addReads(shape, io);
  addWrites(shape, io);
  addRename(shape, io, 'shape').summary('rename a shape; its records follow');
}

function addReads(shape: Command, io: Io): void {
  addSequence(addPaging(shape.command('list')))
    .summary('list the shapes of the repository')
    .action(async (flags: PagingFlags & SequenceFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, printPage } = openSession(io, command);
      const options = { ...pagingOf(flags), ...sequenceFlagsOf(flags) };
      printPage(await client.shape.list(orgName, repoName, options), COLUMNS);
    });
  addSequence(shape.command('view <name>'))
    .summary('show a shape, with the state of its indexes')
    .action(async (name: string, flags: SequenceFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const named = { client, orgName, repoName, name, what: 'shape' } as const;
      print(await orNear(named, () => client.shape.get(orgName, repoName, name, sequenceFlagsOf(flags))));
    });
  addPaging(shape.command('history <name>'))
    .summary('list the versions of a shape, newest first')
    .action(async (name: string, flags: PagingFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, printPage } = openSession(io, command);
      const named = { client, orgName, repoName, name, what: 'shape' } as const;
      const page = await orNear(named, () => client.shape.history(orgName, repoName, name, pagingOf(flags)));
      printPage(page, COLUMNS);
    });
}

interface ShapeFlags {
  readonly fields?: string;
  readonly file?: string;
  readonly description?: string;
  readonly message?: string;
  readonly expectedVersion?: number;
}

function addDefinition(command: Command): Command {
  return command
    .option('--fields <json>', `the whole field set, such as '{"x":"number","label?":"string"}'; ${JSON_WAYS}`)
    .option('--file <path>', 'read the fields from a JSON file; - is standard input')
    .option('--description <text>', 'what records of this shape are')
    .option('--message <text>', 'message of the commit');
}

async function definitionOf(io: Io, { fields, file, description, message }: ShapeFlags) {
  const given = await readJson(io, { text: fields, file, flag: '--fields' });
  return {
    fields: given,
    ...(description !== undefined && { description }),
    ...(message !== undefined && { message }),
  };
}

/** The server speaks of operations; here another command does it. */
function withRevise(name: string, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.code !== 'ALREADY_EXISTS') return error;
  return hinted(error, `To give it another field set: cairn shape revise ${name} --fields JSON.`);
}

function addWrites(shape: Command, io: Io): void {
  addDefinition(shape.command('create <name>'))
    .summary('create a shape')
    .action(async (name: string, flags: ShapeFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const session = openSession(io, command);
      const { client, print } = session;
      const definition = await definitionOf(io, flags);
      const created = client.shape.create(orgName, repoName, name, definition);
      print(await created.catch((error: unknown) => Promise.reject(withRevise(name, error))));
      await tellMissingShapes(session, { orgName, repoName, fields: definition.fields });
    });
  addDefinition(shape.command('revise <name>'))
    .summary('give a shape a new version: the whole field set')
    .option('--expected-version <version>', 'refuse when the shape is at another version', wholeNumber)
    .action(async (name: string, flags: ShapeFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const session = openSession(io, command);
      const { client, print } = session;
      const { expectedVersion } = flags;
      const pin = expectedVersion !== undefined && { expectedVersion };
      const definition = { ...(await definitionOf(io, flags)), ...pin };
      const named = { client, orgName, repoName, name, what: 'shape' } as const;
      print(await orNear(named, () => client.shape.revise(orgName, repoName, name, definition)));
      await tellMissingShapes(session, { orgName, repoName, fields: definition.fields });
    });
  shape
    .command('retract <name>')
    .summary('retract a shape; its records stay')
    .option('--reason <text>', 'why')
    .action(async (name: string, { reason }: { reason?: string }, command: Command) => {
      const { orgName, repoName } = repoOf(io, command);
      const { client, print } = openSession(io, command);
      const named = { client, orgName, repoName, name, what: 'shape' } as const;
      const options = reason === undefined ? {} : { reason };
      print(await orNear(named, () => client.shape.retract(orgName, repoName, name, options)));
    });
}

const TOLD_MAX = 10;

interface Written extends RepoName {
  /** As they were given to `shape create` or `shape revise`, which took them. */
  readonly fields: unknown;
}

interface NamedShape {
  /** Of the field, such as `maker` or `parts.maker`. */
  readonly path: string;
  readonly shape: string;
}

/** Costs a request where a field names a shape, and one more for each name that is not among those of the repository. */
export async function tellMissingShapes(session: Session, { fields, ...repo }: Written): Promise<void> {
  const named = shapesIn(fields, '').filter(({ shape }) => collectionTypeOf(shape) === undefined);
  if (named.length === 0 || !session.isFollowed) return;
  const place = { client: session.client, ...repo };
  const known = await shapeNames(place).catch(() => undefined);
  // Where it cannot be told, nothing is said.
  if (known === undefined) return;
  for (const { path, shape } of named.filter((one) => !known.includes(one.shape)).slice(0, TOLD_MAX)) {
    if (await isShapeThere(place, { shape })) continue;
    const [meant] = nearest(shape, known);
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    session.say(`The field "${path}" refers to records of the shape "${shape}", which is not here yet.${question}`);
  }
}

/** A field is a text, a list of one field, an object with a `type`, or an object of fields. */
function shapesIn(field: unknown, path: string): NamedShape[] {
  if (Array.isArray(field)) return field.flatMap((item) => shapesIn(item, path));
  if (typeof field !== 'object' || field === null) return [];
  const { type, shape, items } = field as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string') {
    return Object.entries(field).flatMap(([name, inner]) => shapesIn(inner, joined(path, name)));
  }
  if (items !== undefined) return shapesIn(items, path);
  return [shape].flat().flatMap((one) => (typeof one === 'string' ? [{ path, shape: one }] : []));
}

function joined(path: string, name: string): string {
  const plain = name.replace(/\?$/, '');
  return path === '' ? plain : `${path}.${plain}`;
}
