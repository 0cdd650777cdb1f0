// How an installed component is shown to people, and what they do next.
import { ADVICE, INSTALL_STATES } from '@cairn/protocol/vocabulary';
import type { ComponentInstall, ComponentReport, Finding, FindingCode, SetupResult } from '@cairn/sdk';
import { pretty } from './output.ts';
import { oneLine } from './shown.ts';

export function shownInstall(install: ComponentInstall): string {
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

/** How a call of an endpoint of the component went. */
export function shownCall({ status, httpStatus, message }: SetupResult): string {
  return oneLine([status, httpStatus ?? '', message ?? ''].filter((part) => part !== '').join(', '));
}

export function shownReport({ findings, ...install }: ComponentReport): string {
  const lines = findings.map(({ code, subject, message }) => {
    const about = subject === undefined ? '' : ` ${subject}:`;
    return oneLine(`  ${code}${about} ${message}`).replace(/^ /, '  ');
  });
  return [shownInstall(install), ...(lines.length === 0 ? [] : ['findings', ...lines])].join('\n');
}

/** Whether something is wrong with it, rather than resting or out of date. */
export function isWrong({ state, findings }: ComponentReport): boolean {
  return state === 'degraded' || state === 'error' || findings.some(({ code }) => !ADVICE.includes(code));
}

/** The command that sets right what was found; what only a person can decide has none. */
const NEXT: Partial<Record<FindingCode, string>> = {
  missing: 'install',
  drifted: 'install',
  'setup-pending': 'install',
  'setup-failed': 'install',
  'newer-version': 'update',
};

/** What to run next, one line for each command. */
export function nextCommands({ component, state, findings, cli }: ComponentReport): string[] {
  if (state === 'paused') return [`Go on with it: cairn component resume ${component}`];
  const verbs = new Set(findings.map(({ code }: Finding) => NEXT[code]).filter((verb) => verb !== undefined));
  const again = [...verbs].map((verb) =>
    verb === 'install'
      ? `When that is set right, install it again: cairn component install ${component}`
      : `Bring it up to date: cairn component update ${component}`,
  );
  const [, name = ''] = component.split('/');
  const ready = state === 'ready' && cli !== undefined ? [`Its methods: cairn ${name} --help`] : [];
  return [...again, ...ready];
}
