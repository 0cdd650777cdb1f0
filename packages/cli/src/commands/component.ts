// `cairn component`: third-party programs installed in a repository, and their methods.
import type { Manifest } from '@cairn/protocol/manifest';
import { ADVICE, INSTALL_STATES } from '@cairn/protocol/vocabulary';
import type { ComponentInstall, ComponentReport, Finding, FindingCode, Resolution, SetupResult } from '@cairn/sdk';
import type { Command } from 'commander';
import { componentCommand, findComponent } from '../component-method.ts';
import { askWhether } from '../confirmation.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { addList, listed } from '../flags.ts';
import type { CommandIo, Io } from '../io.ts';
import { oneLine } from '../look.ts';
import { pretty } from '../output.ts';
import type { RepoName } from '../repo-choice.ts';
import { openRepo, openSession, type RepoSession, repoOf, type Session } from '../session.ts';
import { addComponentRegistry, addComponentValidate, parseComponentName } from './component-registry.ts';

/** Lines such as `reads  Text`, only for permissions that the component asks for. */
function grantedText(component: string, repo: RepoName, { manifest, version, needs }: Resolution): string {
  const {
    runtimeAccess,
    shapes = [],
    credentials = [],
    subscriptions = [],
    seeds = [],
  } = manifest as Partial<Manifest>;
  const rows: [string, readonly string[]][] = [
    ['needs from you', needs],
    ['it reads', runtimeAccess?.reads ?? []],
    ['it writes', runtimeAccess?.writes ?? []],
    ['it receives', subscriptions.map(toldOf)],
    ['shapes', shapes.map(({ name }) => name)],
    ['credential sets', credentials.map(keysOf)],
    ['initial records', seeds.map(({ shape, name }) => `${shape}/${name}`)],
  ];
  const lines = rows
    .filter(([, values]) => values.length > 0)
    .map(([label, values]) => `  ${label.padEnd(15)}  ${oneLine(placed(values.join(', '), repo))}`);
  return [`Access of ${component} ${version} in this repository:`, ...lines].join('\n');
}

function placed(text: string, { orgName, repoName }: RepoName): string {
  return text.replaceAll('<org-name>', () => orgName).replaceAll('<repo-name>', () => repoName);
}

function toldOf({ name, trigger, webhookUrl }: Manifest['subscriptions'][number]): string {
  const { event, shape, filter } = trigger;
  const what = event ?? [shape, filter && JSON.stringify(filter)].filter(Boolean).join(' ');
  const setup = 'an address from its setup';
  return `${what || 'commits'} at ${URL.parse(webhookUrl)?.origin ?? setup} (subscription ${name})`;
}

function keysOf({ name, requiredKeys = [] }: Manifest['credentials'][number]): string {
  return requiredKeys.length === 0 ? name : `${name} (${requiredKeys.map(({ key }) => key).join(' ')})`;
}

function shownInstall(install: ComponentInstall): string {
  const { granted, cli, setup, state, message, ...rest } = install;
  return pretty({
    ...rest,
    state: `${state}: ${INSTALL_STATES[state]}`,
    ...(message !== undefined && { message }),
    ...(setup !== undefined && { setup: shownCall(setup) }),
    needed: granted.scopes.join(' '),
    reads: granted.reads.join(' '),
    writes: granted.writes.join(' '),
    ...(cli !== undefined && { methods: cli.methods.map(({ name }) => name).join(' ') }),
  });
}

function shownCall({ status, httpStatus, message }: SetupResult): string {
  return oneLine([status, httpStatus ?? '', message ?? ''].filter((part) => part !== '').join(', '));
}

function shownReport({ findings, ...install }: ComponentReport): string {
  const lines = findings.map(({ code, subject, message }) => {
    const about = subject === undefined ? '' : ` ${subject}:`;
    return oneLine(`  ${code}${about} ${message}`).replace(/^ /, '  ');
  });
  return [shownInstall(install), ...(lines.length === 0 ? [] : ['findings', ...lines])].join('\n');
}

/** A paused or outdated component is not wrong. */
function isWrong({ state, findings }: ComponentReport): boolean {
  return state === 'degraded' || state === 'error' || findings.some(({ code }) => !ADVICE.includes(code));
}

const NEXT: Partial<Record<FindingCode, string>> = {
  missing: 'install',
  drifted: 'install',
  'setup-pending': 'install',
  'setup-failed': 'install',
  'newer-version': 'update',
};

function nextCommands({ component, state, findings, cli }: ComponentReport): string[] {
  if (state === 'paused') return [`To resume it: cairn component resume ${component}`];
  const verbs = new Set(findings.map(({ code }: Finding) => NEXT[code]).filter((verb) => verb !== undefined));
  const again = [...verbs].map((verb) =>
    verb === 'install'
      ? `After you have fixed this, install it again: cairn component install ${component}`
      : `To update it: cairn component update ${component}`,
  );
  const [, name = ''] = component.split('/');
  const ready = state === 'ready' && cli !== undefined ? [`Its methods: cairn ${name} --help`] : [];
  return [...again, ...ready];
}

function addComponentInstall(component: Command, io: CommandIo): void {
  for (const [verb, summary] of [
    ['install', 'install the latest version of a component, ORG/NAME; run it again to restore missing parts'],
    ['update', 'update an installed component, ORG/NAME, to the latest version; nothing is deleted'],
  ] as const) {
    component
      .command(`${verb} <component>`)
      .summary(summary)
      .option('--yes', 'do not ask for confirmation')
      .option('--no-setup', 'do not call its setup endpoint; the install stays incomplete until it is called')
      .action(async (given: string, flags: { yes?: true; setup: boolean }, command: Command) => {
        const opened = openRepo(io, command);
        await showGranted(io, opened, given, !flags.yes);
        const options = flags.setup ? {} : { callSetup: false };
        printReport(io, opened, await opened.repo().components[verb](given, options));
      });
  }
}

/** For people only: programs read the grants from the answer. */
async function showGranted(io: CommandIo, opened: RepoSession, given: string, asks: boolean): Promise<void> {
  const { orgName, name } = parseComponentName(given);
  if (!opened.isFollowed) return;
  const installRepo = `${opened.orgName}/${opened.repoName}`;
  const resolved = await opened.client.component.resolve(orgName, name, installRepo);
  opened.say(grantedText(given, opened, resolved));
  // The server refuses ineligible installs with the reasons.
  if (asks && io.isTerminal && resolved.eligible) await askWhether(io, `This installs ${given} in ${installRepo}.`);
}

function printReport(io: CommandIo, { print, say }: Session, report: ComponentReport): void {
  print(report, shownReport(report));
  for (const line of nextCommands(report)) say(line);
  if (isWrong(report)) io.setExitCode(EXIT.failed);
}

const COMPONENT_COLUMNS = ['component', 'state', 'version', 'installedBy', 'installedAt', 'updatedAt'];

function addVerbs(component: Command, io: Io): void {
  addList(component.command('list'))
    .summary('list the components installed in the repository')
    .action(listed(io, openRepo, { columns: COMPONENT_COLUMNS }, ({ repo }, paging) => repo().components.list(paging)));
  for (const [verb, summary] of [
    ['get', 'show an installed component, ORG/NAME'],
    ['pause', 'pause a component: its tokens, subscriptions and methods stop working'],
    ['resume', 'resume a paused component'],
  ] as const) {
    component
      .command(`${verb} <component>`)
      .summary(summary)
      .action(async (given: string, _flags: object, command: Command) => {
        const { repo, print } = openInstall(io, command, given);
        const install = await repo().components[verb](given);
        print(install, shownInstall(install));
      });
  }
}

function openInstall(io: Io, command: Command, given: string): RepoSession {
  parseComponentName(given);
  return openRepo(io, command);
}

function addDoctor(component: Command, io: CommandIo): void {
  component
    .command('doctor <component>')
    .summary('check an installed component; exits with 1 if something is missing or wrong')
    .description(
      'Compares the manifest of a component with the repository: shapes, subscriptions, credential sets and their keys. Also shows the result of the last call to its setup endpoint. Does not call the component itself. Exits with 1 if something is missing or wrong.',
    )
    .action(async (given: string, _flags: object, command: Command) => {
      const opened = openInstall(io, command, given);
      const report = await opened.repo().components.doctor(given);
      printReport(io, opened, report);
      const note = notTried(report);
      if (note !== undefined) opened.say(note);
    });
}

/** The report covers stored data only, not a program that runs elsewhere. Undefined if there is no such program. */
function notTried({ component, setup, cli }: ComponentReport): string | undefined {
  const [, name = ''] = component.split('/');
  const [method] = cli?.methods ?? [];
  const calls = [
    ...(setup === undefined || setup.status === 'skipped'
      ? []
      : [`its setup endpoint: cairn component install ${component}`]),
    ...(method === undefined ? [] : [`a method: cairn ${name} ${method.name}`]),
  ];
  return calls.length === 0 ? undefined : `The component itself was not called. To call ${calls.join('; or ')}`;
}

function addTeardown(component: Command, io: CommandIo): void {
  component
    .command('teardown <component>')
    .summary('uninstall a component: its tokens and subscriptions stop working, its data stays')
    .action(async (given: string, _flags: object, command: Command) => {
      const { repo, print, say } = openInstall(io, command, given);
      const { uninstall, ...install } = await repo().components.teardown(given);
      print({ ...install, uninstall }, `${shownInstall(install)}\nuninstall  ${shownCall(uninstall)}`);
      if (uninstall.status === 'failed') {
        say(`It is torn down, but could not be notified. To notify it again: cairn component teardown ${given}`);
      }
    });
}

const HELP = `
Give each argument of the method as --NAME VALUE or --arg NAME=VALUE.
  cairn component exec acme/word-count --help         lists the methods
  cairn component exec acme/word-count count --help   shows the arguments of one
If cairn has no command with the name of the component, cairn word-count count does the same.`;

function addComponentExec(component: Command, io: Io): void {
  component
    .command('exec [component] [method] [arguments...]')
    .summary('call a method of an installed component, ORG/NAME or NAME')
    .helpOption(false)
    .allowUnknownOption()
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, _method: unknown, _arguments: unknown, _flags: unknown, ran: Command) => {
      if (given === undefined) throw new UsageError('Name the component, as ORG/NAME or NAME, and the method.');
      if (/^(-h|--help)$/.test(given)) return ran.help();
      const session = openSession(io, ran);
      const called = await findComponent(session.client, repoOf(io, ran), given);
      const command = componentCommand(`cairn component exec ${given}`, ran, { called, open: () => session });
      await command.parseAsync(ran.args.slice(1), { from: 'user' });
    });
}

export function addComponent(program: Command, io: CommandIo): void {
  const component = program
    .command('component')
    .summary('programs installed in a repository, and their registry')
    .description('A component is named as ORG/NAME: the organization that registered it, and its name there.');
  addComponentValidate(component, io);
  addComponentRegistry(component, io);
  addComponentInstall(component, io);
  addVerbs(component, io);
  addDoctor(component, io);
  addTeardown(component, io);
  addComponentExec(component, io);
}
