// `cairn prime`: introduces a repository to an agent, or to anyone new to it.
import type { CairnClient, ListedRecord, RepositoryDescription, ShapeDescription } from '@cairn/sdk';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { oneLine, shellWord } from '../look.ts';
import type { RepoName } from '../repo-choice.ts';
import { openSession, repoOf } from '../session.ts';

export function shapeText({ name, count, version, description, fields }: ShapeDescription): string {
  const records = count === 1 ? '1 record' : `${count} records`;
  const said = description === undefined ? '' : `: ${oneLine(description)}`;
  return [`${name} (${records}, version ${version})${said}`, ...fieldLines(fields)].join('\n');
}

function fieldLines(fields: unknown): string[] {
  const entries = Object.entries(fields as object);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  const typeText = (type: unknown) => (typeof type === 'string' ? type : JSON.stringify(type));
  return entries.map(([name, type]) => `  ${name.padEnd(width)}  ${typeText(type)}`);
}

export interface Primer extends RepositoryDescription {
  readonly mayWrite: boolean;
  /** Text for agents; empty until written. */
  readonly agents: string;
  readonly samples: readonly ListedRecord[];
  readonly commands: readonly PrimerCommand[];
}

interface PrimerCommand {
  readonly purpose: string;
  readonly command: string;
}

const SAMPLES_MAX = 12;

async function readPrimer(client: CairnClient, { orgName, repoName }: RepoName): Promise<Primer> {
  const [description, agents, write] = await Promise.all([
    client.repo.describe(orgName, repoName),
    client.repo.getContent(orgName, repoName, 'agents'),
    client.access.checkRepoPermission(orgName, repoName, 'repo:write'),
  ]);
  const shapes = description.shapes
    .filter(({ name, count }) => count > 0 && !isBuiltIn(name))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, SAMPLES_MAX);
  const pages = await Promise.all(
    shapes.map(({ name }) => client.thing.head(orgName, repoName, { shape: name, limit: 1 })),
  );
  const samples = pages.flatMap(({ items }) => items);
  const mayWrite = write.allowed && !description.repository.archived;
  const sample = samples.find(({ kind }) => kind === 'thing') ?? samples[0];
  const commands = commandsFor({ repoSeq: description.repoSeq, mayWrite, sample });
  return { ...description, mayWrite, agents: agents.content, samples, commands };
}

/** `Content` holds the texts, which the primer shows separately. */
const isBuiltIn = (shape: string) => shape === 'Content';

interface CommandContext {
  readonly repoSeq: number;
  readonly mayWrite: boolean;
  readonly sample: ListedRecord | undefined;
}

const DATA_CHARACTERS_MAX = 200;

/** Uses names of existing records, so that most commands run as they are. */
function commandsFor({ repoSeq, mayWrite, sample }: CommandContext): PrimerCommand[] {
  const name = sample?.name ?? 'Shape/name';
  const wref = shellWord(name);
  const shape = name.split('/')[0] ?? 'Shape';
  const json = JSON.stringify(sample?.data ?? {});
  const data = json.length > DATA_CHARACTERS_MAX ? 'JSON' : shellWord(json);
  const reads = {
    'the records of a shape': `cairn thing list --shape ${shape}`,
    'one record': `cairn thing get ${wref}`,
    'its versions, newest first': `cairn thing history ${wref}`,
    'records that contain words': 'cairn thing search WORDS',
    'records by a field': `cairn thing query --shape ${shape} --where FIELD:eq:VALUE`,
    'assertions about a record': `cairn thing about ${wref}`,
    'what changed after a commit': `cairn thing changes --since ${Math.max(0, repoSeq - 1)}`,
  };
  const writes = {
    'try a write without writing': `cairn commit submit --add ${shape}/NEW --data ${data} --dry-run`,
    'add a record': `cairn commit submit --add ${shape}/NEW --data ${data} --message WHY`,
    'give it a new version': `cairn commit submit --revise ${shape}/NEW --data ${data} --message WHY`,
    'retract it; its history stays': `cairn commit submit --retract ${shape}/NEW --reason WHY`,
    'many operations, all or none': 'cairn commit submit --file operations.jsonl --message WHY',
    'add an assertion about a record': `cairn assertion add SHAPE/NEW --about ${wref} --data JSON`,
  };
  return Object.entries({ ...reads, ...(mayWrite && writes) }).map(([purpose, command]) => ({ purpose, command }));
}

const SHAPES_SHOWN_MAX = 40;
const SAMPLE_SHOWN_MAX = 300;
const AGENTS_SHOWN_MAX = 8_000;

/** Markdown, because agents read it best and people can read it too. */
function primerText(primer: Primer): string {
  const { repository, agents, commands, mayWrite } = primer;
  const parts = [
    `# ${repository.orgName}/${repository.name}`,
    introduction(primer),
    `## Shapes\n\n${shapeParts(primer).join('\n\n') || 'There are no shapes yet. Create one: cairn shape create.'}`,
    ...(agents === ''
      ? []
      : [`## Instructions of the repository for agents\n\n${shortened(agents.trim(), AGENTS_SHOWN_MAX)}`]),
    `## Commands\n\n${commandLines(commands)}`,
    [rule(repository), ...RULES, ...(mayWrite ? WRITE_RULES : [])].map((line) => `- ${line}`).join('\n'),
  ];
  return parts.join('\n\n');
}

function introduction({ repository, repoSeq, counts, mayWrite }: Primer): string {
  const { description, visibility, archived } = repository;
  const { thing, assertion, collection } = counts;
  const state = archived ? `${visibility}, archived` : visibility;
  return [
    ...(description === '' ? [] : [oneLine(description)]),
    `Commit ${repoSeq}. Things: ${thing}; assertions: ${assertion}; collections: ${collection}. The repository is ${state}.`,
    mayWrite ? 'You can read and write.' : 'You can read, but not write.',
  ].join('\n');
}

function shapeParts({ shapes, samples }: Primer): string[] {
  const own = shapes.filter(({ name }) => !isBuiltIn(name));
  const parts = own.slice(0, SHAPES_SHOWN_MAX).map((shape) => {
    const sample = samples.find(({ name }) => name.startsWith(`${shape.name}/`));
    return sample === undefined ? shapeText(shape) : `${shapeText(shape)}\n${sampleLine(sample)}`;
  });
  return own.length > SHAPES_SHOWN_MAX
    ? [...parts, `There are ${own.length} shapes. To list all of them: cairn shape list --limit 500.`]
    : parts;
}

function sampleLine({ wref, aboutWref, data }: ListedRecord): string {
  const about = aboutWref === undefined || aboutWref === null ? '' : ` about ${aboutWref}`;
  return `  for example ${wref}${about}: ${shortened(oneLine(JSON.stringify(data)), SAMPLE_SHOWN_MAX)}`;
}

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const COMMAND_COLUMNS_MAX = 72;

function commandLines(commands: readonly PrimerCommand[]): string {
  const widths = commands.map(({ command }) => command.length).filter((width) => width <= COMMAND_COLUMNS_MAX);
  const width = Math.max(...widths);
  return commands.map(({ purpose, command }) => `    ${command.padEnd(width)}  # ${purpose}`).join('\n');
}

const rule = ({ orgName, name }: RepositoryDescription['repository']) =>
  `The commands use this repository with --repo ${orgName}/${name}, with CAIRN_REPO, or after cairn use ${orgName}/${name} in the folder.`;

const RULES = [
  'Results are on standard output; --json prints them as JSON. cairn NOUN --help explains the rest.',
  'A wref names a record: Shape/name, or Shape/name@v3 for one of its versions. Nothing is lost: --at N reads as of commit N.',
];

const WRITE_RULES = [
  'revise replaces the whole data, not a part. --expected-version N fails if somebody else was faster (exit code 5).',
  'A field that ends with ? is optional. Data that does not fit its shape is refused, and the error names the field.',
];

export function addPrime(program: Command, io: Io): void {
  program
    .command('prime [org/repo]')
    .summary('print an introduction to a repository for AI agents')
    .description(
      'Prints, in Markdown, the shapes with their fields, record counts, an example of each shape, the instructions for agents, and commands that work on the repository. Give it to an agent before it starts.',
    )
    .action(async (given: string | undefined, _flags: object, command: Command) => {
      const name = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      const primer = await readPrimer(client, name);
      print(primer, primerText(primer));
    });
}
