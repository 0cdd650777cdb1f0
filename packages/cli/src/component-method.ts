// The methods of a component as commands: help, flags and their types are made from its manifest.

import type { CliMethod, MethodArgument } from '@cairn/protocol/manifest';
import type { ComponentInstall } from '@cairn/sdk';
import { Command, Option } from 'commander';
import { readArguments } from './component-argument.ts';
import { UsageError } from './exit-codes.ts';
import { pretty } from './output.ts';
import type { RepoName } from './repo-name.ts';
import type { Session } from './session.ts';
import { oneLine } from './shown.ts';

export type ComponentCli = NonNullable<ComponentInstall['cli']>;

export interface CalledComponent extends RepoName {
  /** As org/name. */
  readonly component: string;
  readonly cli: ComponentCli | undefined;
}

/** Flags of the whole program, and what commander reads in a way of its own: such arguments are given by --arg. */
const TAKEN = /^(json|format|url|repo|live|quiet|version|help|arg|no-.*)$/;

export interface MethodCall {
  readonly called: CalledComponent;
  readonly open: (command: Command) => Session;
}

/** A command of the component's methods, each with its flags; it prints and ends as `like` does. */
export function componentCommand(name: string, like: Command, call: MethodCall): Command {
  const { component, cli } = call.called;
  if (cli === undefined || cli.methods.length === 0) {
    throw new UsageError(`${component} has no methods to call. See cairn component get ${component}.`);
  }
  const command = new Command(name)
    .copyInheritedSettings(like)
    // `component exec` has none of its own, so that what stands behind it reaches the method.
    .helpOption('-h, --help', 'display help for command')
    .description(oneLine(cli.description ?? `The methods of ${component}.`))
    .helpCommand(false);
  for (const method of cli.methods) addMethod(command, method as CliMethod, call);
  return command;
}

function addMethod(parent: Command, method: CliMethod, { called, open }: MethodCall): void {
  const given = new Map<string, string>();
  const command = parent.command(method.name).description(oneLine(method.description ?? ''));
  // The notes are in the description already; commander would add its own word for what a bare flag means.
  command.configureHelp({ ...command.configureHelp(), optionDescription: ({ description }) => description });
  for (const argument of method.args ?? []) if (!TAKEN.test(argument.name)) command.addOption(flagOf(argument, given));
  command
    .option('--arg <name=value>', 'an argument by its name', (text: string) => keepNamed(text, given))
    .addHelpText('after', helpOf(method))
    .action(async (_flags: object, ran: Command) => {
      const session = open(ran);
      const { orgName, repoName, component } = called;
      const args = readArguments(method, given);
      const answer = await session.client.component.exec(orgName, repoName, component, method.name, args);
      session.print(answer, shownBody(answer.body));
    });
}

/** Values are kept by the argument's own name: commander knows `dry-run` and `dryRun` as one. */
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

/** What a component answers is not to be taken for commands by a terminal. */
function shownBody(body: unknown): string {
  const isFields = typeof body === 'object' && body !== null && !Array.isArray(body);
  const text = typeof body === 'string' ? body : isFields ? pretty(body) : JSON.stringify(body, null, 2);
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, '').replace(/\n$/, '');
}
