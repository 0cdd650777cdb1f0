// `cairn component list|get|doctor|pause|resume|teardown`: what is installed in a repository.
import type { ComponentReport } from '@cairn/sdk';
import type { Command } from 'commander';
import { parseComponentName } from '../component-name.ts';
import { shownCall, shownInstall } from '../component-report.ts';
import type { CommandIo, Io } from '../io.ts';
import { addList, type ListFlags, type PagingFlags, printList } from '../paging.ts';
import type { RepoName } from '../repo-name.ts';
import { openSession, repoOf, type Session } from '../session.ts';
import { printReport } from './component-install.ts';

const COLUMNS = ['component', 'state', 'version', 'installedBy', 'installedAt', 'updatedAt'];

export function addComponentManage(component: Command, io: CommandIo): void {
  addInstalled(component, io);
  addVerbs(component, io);
  addDoctor(component, io);
  addTeardown(component, io);
}

function addInstalled(component: Command, io: Io): void {
  addList(component.command('list'))
    .summary('list what is installed in the repository')
    .action(async (flags: ListFlags, command: Command) => {
      const session = openSession(io, command);
      const { orgName, repoName } = repoOf(io, command);
      const list = (paging: PagingFlags) => session.client.component.list(orgName, repoName, paging);
      await printList(session, { flags, columns: COLUMNS, list });
    });
}

function addVerbs(component: Command, io: Io): void {
  for (const [verb, summary] of [
    ['get', 'show an installed component, ORG/NAME'],
    ['pause', 'refuse its tokens, rest its subscriptions, call none of its methods'],
    ['resume', 'end a pause'],
  ] as const) {
    component
      .command(`${verb} <component>`)
      .summary(summary)
      .action(async (given: string, _flags: object, command: Command) => {
        const { client, print, orgName, repoName } = openInstall(io, command, given);
        const install = await client.component[verb](orgName, repoName, given);
        print(install, shownInstall(install));
      });
  }
}

function openInstall(io: Io, command: Command, given: string): Session & RepoName {
  parseComponentName(given);
  return { ...repoOf(io, command), ...openSession(io, command) };
}

function addDoctor(component: Command, io: CommandIo): void {
  component
    .command('doctor <component>')
    .summary('say what is missing or wrong with an installed component; ends with 1 where something is')
    .description(
      'Compares what the manifest declares with what is in the repository: shapes, subscriptions, credential sets and their keys, and how the last call of the setup endpoint went. The component itself is not called. Ends with 1 where something is missing or wrong.',
    )
    .action(async (given: string, _flags: object, command: Command) => {
      const { orgName, repoName, ...session } = openInstall(io, command, given);
      const report = await session.client.component.doctor(orgName, repoName, given);
      printReport(io, session, report);
      const note = notTried(report);
      if (note !== undefined) session.say(note);
    });
}

/** A report of what is stored says nothing of a program that runs elsewhere; undefined where there is none to call. */
function notTried({ component, setup, cli }: ComponentReport): string | undefined {
  const [, name = ''] = component.split('/');
  const [method] = cli?.methods ?? [];
  const calls = [
    ...(setup === undefined || setup.status === 'skipped'
      ? []
      : [`its setup endpoint, cairn component install ${component}`]),
    ...(method === undefined ? [] : [`a method, cairn ${name} ${method.name}`]),
  ];
  return calls.length === 0
    ? undefined
    : `Not tried: whether the component itself answers. To call ${calls.join('; or ')}`;
}

function addTeardown(component: Command, io: CommandIo): void {
  component
    .command('teardown <component>')
    .summary('end an install: its tokens and subscriptions stop, its data stays')
    .action(async (given: string, _flags: object, command: Command) => {
      const { client, print, say, orgName, repoName } = openInstall(io, command, given);
      const { uninstall, ...install } = await client.component.teardown(orgName, repoName, given);
      print({ ...install, uninstall }, `${shownInstall(install)}\nuninstall  ${shownCall(uninstall)}`);
      if (uninstall.status === 'failed') {
        say(`It is torn down, but could not be told so. To tell it again: cairn component teardown ${given}`);
      }
    });
}
