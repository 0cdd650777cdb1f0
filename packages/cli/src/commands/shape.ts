import { COLLECTION_TYPE_OF } from '@cairn/model/collection';
import { nearest } from '@cairn/protocol/nearest';
import { CairnError } from '@cairn/sdk';
import type { Command } from 'commander';
import { addPaging, addSequence, listed, type SequenceFlags, sequenceFlagsOf, wholeNumber } from '../flags.ts';
import { JSON_WAYS, readJson } from '../input.ts';
import type { Io } from '../io.ts';
import { hinted, isShapeThere, orNear, shapeNames } from '../near-name.ts';
import { openRepo, printed, type RepoSession } from '../session.ts';
import { addRename, VERSION_COLUMNS } from './thing.ts';

const SHAPE_COLUMNS = ['name', 'data', 'createdBy', 'versionCreatedAt', 'version'];

export function addShape(program: Command, io: Io): void {
  const shape = program.command('shape').summary('schemas of records');
  addReads(shape, io);
  addWrites(shape, io);
  addRename(shape, io, 'shape').summary('rename a shape; its records follow');
}

function addReads(shape: Command, io: Io): void {
  addSequence(addPaging(shape.command('list')))
    .summary('list the shapes of the repository')
    .action(
      listed(io, openRepo, { columns: SHAPE_COLUMNS }, ({ repo }, paging, flags: SequenceFlags) =>
        repo().shapes.list({ ...paging, ...sequenceFlagsOf(flags) }),
      ),
    );
  addSequence(shape.command('view <name>'))
    .summary('show a shape, with the state of its indexes')
    .action(
      printed(io, openRepo, (opened, name: string, flags: SequenceFlags) =>
        orNear(opened, { name, what: 'shape' }, () => opened.repo().shapes.get(name, sequenceFlagsOf(flags))),
      ),
    );
  addPaging(shape.command('history <name>'))
    .summary('list the versions of a shape, newest first')
    .action(
      listed(io, openRepo, { columns: VERSION_COLUMNS }, (opened, paging, name: string) =>
        orNear(opened, { name, what: 'shape' }, () => opened.repo().shapes.history(name, paging)),
      ),
    );
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
    .option('--fields <json>', `all fields, such as '{"x":"number","label?":"string"}'; ${JSON_WAYS}`)
    .option('--file <path>', 'read the fields from a JSON file; - is standard input')
    .option('--description <text>', 'what records of this shape are')
    .option('--message <text>', 'commit message');
}

async function definitionOf(io: Io, { fields, file, ...flags }: ShapeFlags) {
  return { ...flags, fields: await readJson(io, { text: fields, file, flag: '--fields' }) };
}

/** The server's hint names an operation; the CLI has a command for it. */
function withRevise(name: string, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.code !== 'ALREADY_EXISTS') return error;
  return hinted(error, `To change its fields: cairn shape revise ${name} --fields JSON.`);
}

function addWrites(shape: Command, io: Io): void {
  addDefinition(shape.command('create <name>'))
    .summary('create a shape')
    .action(async (name: string, flags: ShapeFlags, command: Command) => {
      const session = openRepo(io, command);
      const definition = await definitionOf(io, flags);
      const created = session.repo().shapes.create(name, definition);
      session.print(await created.catch((error: unknown) => Promise.reject(withRevise(name, error))));
      await tellMissingShapes(session, definition.fields);
    });
  addDefinition(shape.command('revise <name>'))
    .summary('create a new version of a shape, with all of its fields')
    .option('--expected-version <version>', 'fail if the shape is at another version', wholeNumber)
    .action(async (name: string, flags: ShapeFlags, command: Command) => {
      const session = openRepo(io, command);
      const definition = await definitionOf(io, flags);
      const revise = () => session.repo().shapes.revise(name, definition);
      session.print(await orNear(session, { name, what: 'shape' }, revise));
      await tellMissingShapes(session, definition.fields);
    });
  shape
    .command('retract <name>')
    .summary('retract a shape; its records stay')
    .option('--reason <text>', 'reason for the retraction')
    .action(
      printed(io, openRepo, (opened, name: string, { reason }: { reason?: string }) =>
        orNear(opened, { name, what: 'shape' }, () => opened.repo().shapes.retract(name, { reason })),
      ),
    );
}

const TOLD_MAX = 10;

/**
 * Warns about shapes that accepted `fields` name but that do not exist: usually typos. Sends a request if a field names
 * a shape, and another one per name outside the first page of shapes.
 */
async function tellMissingShapes(session: RepoSession, fields: unknown): Promise<void> {
  const named = shapesIn(fields, '').filter(({ shape }) => COLLECTION_TYPE_OF.get(shape) === undefined);
  if (named.length === 0 || !session.isFollowed) return;
  const known = await shapeNames(session).catch(() => undefined);
  if (known === undefined) return;
  for (const { path, shape } of named.filter((one) => !known.includes(one.shape)).slice(0, TOLD_MAX)) {
    if (await isShapeThere(session, shape)) continue;
    const [meant] = nearest(shape, known);
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    session.say(`The field "${path}" refers to records of the shape "${shape}", which does not exist yet.${question}`);
  }
}

/** A field is a text, a list of one field, an object with a `type`, or an object of fields. */
function shapesIn(field: unknown, path: string): { path: string; shape: string }[] {
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
