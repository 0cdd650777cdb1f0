// Turns the methods of installed components into commands: the manifest gives help, flags and types. The server
// validates arguments again; checking here names every problem before anything is sent.
import type { CliMethod, MethodArgument } from '@cairn/protocol/manifest';
import { type CairnClient, CairnError, type ComponentInstall, eachItem } from '@cairn/sdk';
import { Command, Option } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { CommandIo } from './io.ts';
import { oneLine } from './look.ts';
import { pretty } from './output.ts';
import { chooseRepo, parseRepoName, type RepoName } from './repo-choice.ts';
import { openSession, type Session } from './session.ts';
import { meantBy } from './wrong-call.ts';

function readArguments(
  { name: method, args = [] }: CliMethod,
  given: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const declared = new Map(args.map((argument) => [argument.name, argument]));
  const values: [string, unknown][] = [];
  const problems = args
    .filter(({ name, required }) => required && !given.has(name))
    .map(({ name }) => `--${name} is required`);
  for (const [name, text] of given) {
    const argument = declared.get(name);
    const value = argument === undefined ? undefined : typedValue(argument, text);
    const problem = argument === undefined ? unknown(name, [...declared.keys()]) : problemOf(argument, value);
    if (problem === undefined) values.push([name, value]);
    else problems.push(problem);
  }
  if (problems.length > 0) throw new UsageError(`${method}: ${problems.join('; ')}. See --help.`);
  return Object.fromEntries(values);
}

function typedValue({ type }: MethodArgument, text: string): string | number | boolean | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : undefined);
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined;
}

const TYPE_WORDS = { string: 'text', number: 'a number', integer: 'a whole number', boolean: 'true or false' };

function problemOf({ name, type, min, max, enum: values }: MethodArgument, value: unknown): string | undefined {
  if (value === undefined) return `--${name} takes ${TYPE_WORDS[type]}`;
  if (values !== undefined && !values.includes(value as string)) return `--${name} must be one of ${values.join(', ')}`;
  if (min !== undefined && (value as number) < min) return `--${name} must be at least ${min}`;
  return max !== undefined && (value as number) > max ? `--${name} must be at most ${max}` : undefined;
}

function unknown(name: string, names: readonly string[]): string {
  const known = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return `there is no argument ${name}: ${known}`;
}

export type ComponentCli = NonNullable<ComponentInstall['cli']>;

interface CalledComponent extends RepoName {
  readonly component: string;
  readonly cli: ComponentCli | undefined;
}

/** Global flags, and names that commander treats specially. Use `--arg` for arguments with these names. */
const TAKEN = /^(json|format|url|repo|live|quiet|version|help|arg|no-.*)$/;

interface MethodCall {
  readonly called: CalledComponent;
  readonly open: (command: Command) => Session;
}

export function componentCommand(name: string, like: Command, call: MethodCall): Command {
  const { component, cli } = call.called;
  if (cli === undefined || cli.methods.length === 0) {
    throw new UsageError(`${component} has no methods to call. See cairn component get ${component}.`);
  }
  const command = new Command(name)
    .copyInheritedSettings(like)
    // `component exec` has no help option, so that flags reach the method. This command needs its own.
    .helpOption('-h, --help', 'display help for command')
    .description(oneLine(cli.description ?? `The methods of ${component}.`))
    .helpCommand(false);
  for (const method of cli.methods) addMethod(command, method as CliMethod, call);
  return command;
}

function addMethod(parent: Command, method: CliMethod, { called, open }: MethodCall): void {
  const given = new Map<string, string>();
  const command = parent.command(method.name).description(oneLine(method.description ?? ''));
  // The description already contains the notes; commander would add its own text for bare flags.
  command.configureHelp({ ...command.configureHelp(), optionDescription: ({ description }) => description });
  for (const argument of method.args ?? []) if (!TAKEN.test(argument.name)) command.addOption(flagOf(argument, given));
  command
    .option('--arg <name=value>', 'an argument of the method', (text: string) => keepNamed(text, given))
    .addHelpText('after', helpOf(method))
    .action(async (_flags: object, ran: Command) => {
      const session = open(ran);
      const { orgName, repoName, component } = called;
      const args = readArguments(method, given);
      const answer = await session.client.component.exec(orgName, repoName, component, method.name, args);
      session.print(answer, shownBody(answer.body));
    });
}

/** Stores values by argument name, because commander cannot tell `dry-run` from `dryRun`. */
function flagOf(argument: MethodArgument, given: Map<string, string>): Option {
  const { name, type } = argument;
  const option = new Option(`--${name} ${type === 'boolean' ? '[boolean]' : `<${type}>`}`, describe(argument));
  if (type === 'boolean') option.preset('true');
  return option.argParser((value) => {
    given.set(name, value);
    return value;
  });
}

function keepNamed(text: string, given: Map<string, string>): string {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--arg ${text}: write it as --arg NAME=VALUE.`);
  given.set(name, value);
  return text;
}

function describe({ description, type, required, min, max, enum: values, default: preset }: MethodArgument): string {
  const notes = [
    ...(required ? ['required'] : []),
    ...(type === 'boolean' ? ['true or false'] : []),
    ...(values === undefined ? [] : [`one of ${values.join(', ')}`]),
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(preset === undefined ? [] : [`default: ${JSON.stringify(preset)}`]),
  ];
  return oneLine([description ?? '', notes.length === 0 ? '' : `(${notes.join('; ')})`].filter(Boolean).join(' '));
}

function helpOf({ args = [], requiresPermission }: CliMethod): string {
  const byName = args.filter(({ name }) => TAKEN.test(name));
  return [
    ...byName.map((argument) => `  --arg ${argument.name}=<${argument.type}>  ${describe(argument)}`),
    ...(requiresPermission === undefined ? [] : [`\nNeeds ${requiresPermission} on the repository.`]),
  ].join('\n');
}

/** Strips control characters: a component's answer must not control the terminal. */
function shownBody(body: unknown): string {
  const isFields = typeof body === 'object' && body !== null && !Array.isArray(body);
  const text = typeof body === 'string' ? body : isFields ? pretty(body) : JSON.stringify(body, null, 2);
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '').replace(/\n$/, '');
}

/** A repository has at most one component of each name. */
async function installNamed(client: CairnClient, { orgName, repoName }: RepoName, name: string) {
  const installs = eachItem((cursor) => client.component.list(orgName, repoName, { limit: 500, cursor }));
  for await (const install of installs) {
    if (install.component.endsWith(`/${name}`) && install.state !== 'uninstalled') return install;
  }
  return undefined;
}

/** Accepts `org/name`, or the plain name of an installed component. */
export async function findComponent(client: CairnClient, repo: RepoName, given: string): Promise<CalledComponent> {
  if (given.includes('/')) return { ...repo, component: given, cli: await cliOf(client, repo, given) };
  const install = await installNamed(client, repo, given);
  if (install === undefined) throw notInstalled(repo, given);
  return { ...repo, component: install.component, cli: install.cli };
}

function notInstalled({ orgName, repoName }: RepoName, given: string): CairnError {
  return new CairnError('NOT_FOUND', {
    message: `No component ${given} is installed in ${orgName}/${repoName}. See cairn component list, or install it: cairn component install ORG/${given}.`,
  });
}

/**
 * Callers who can read only part of the repository cannot list installs, but they may call methods. The registry
 * describes these.
 */
async function cliOf(client: CairnClient, { orgName, repoName }: RepoName, component: string) {
  try {
    return (await client.component.get(orgName, repoName, component)).cli;
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'FORBIDDEN') throw error;
    const [owner = '', name = ''] = component.split('/');
    const { manifest } = await client.component.view(owner, name);
    return manifest.cli as ComponentCli | undefined;
  }
}

export async function addShortcut(program: Command, io: CommandIo, args: readonly string[]): Promise<void> {
  const [word, method] = program.parseOptions([...args]).operands;
  if (word === undefined || !isComponentName(word) || isNoun(program, word)) return;
  const { repo } = chooseRepo(io, program.opts()) ?? {};
  if (repo === undefined) return;
  const { client } = openSession(io, program);
  const name = parseRepoName(repo);
  const install = await installNamed(client, name, word).catch((error: unknown) => {
    const meant = meantBy(program, args);
    // A call of a component needs a method.
    const isWrong = meant !== undefined || method === undefined;
    throw notLookedFor({ word, repo, ...(isWrong && { advice: `${meant ?? ''} See cairn --help.`.trim() }) }, error);
  });
  if (install === undefined) return;
  const called = { ...name, component: install.component, cli: install.cli };
  const open = (command: Command) => openSession(io, command);
  program.addCommand(componentCommand(word, program, { called, open }));
}

const isComponentName = (word: string) => /^[a-z][a-z0-9-]{0,63}$/.test(word);

function isNoun(program: Command, word: string): boolean {
  return word === 'help' || program.commands.some((noun) => noun.name() === word || noun.aliases().includes(word));
}

interface NotLookedFor {
  readonly word: string;
  readonly repo: string;
  /** Suggestion for a word that is probably a typo. */
  readonly advice?: string;
}

/** A mistyped noun is a usage error, whatever the server answers. A possible call of a component is not. */
function notLookedFor({ word, repo, advice }: NotLookedFor, error: unknown): unknown {
  if (!(error instanceof CairnError)) return error;
  if (advice !== undefined) return new UsageError(`Unknown command '${word}'. ${advice}`);
  const { code, message, ...rest } = error.fields;
  return new CairnError(code, {
    ...rest,
    message: `Unknown command '${word}'. It may be a component of ${repo}, but that could not be checked: ${message} See --help.`,
  });
}
