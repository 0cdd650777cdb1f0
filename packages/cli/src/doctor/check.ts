// What `cairn doctor` found: a line each, with what to do about it.
import { EXIT } from '../exit-codes.ts';
import type { Look } from '../look.ts';

export const CHECKS = [
  'node',
  'profiles',
  'server',
  'clock',
  'version',
  'address',
  'token',
  'repository',
  'permissions',
] as const;

export interface Check {
  readonly check: (typeof CHECKS)[number];
  /** `note`: nothing is wrong, but it may surprise. */
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
  /** Of a problem: what a command that meets it ends with. */
  readonly exitCode?: number;
}

export const ok = (check: Check['check'], message: string): Check => ({ check, state: 'ok', message });

export const note = (check: Check['check'], message: string, mend?: string): Check => ({
  ...{ check, state: 'note', message },
  ...(mend !== undefined && { mend }),
});

interface Problem {
  readonly message: string;
  readonly mend: string;
  readonly exitCode?: number;
}

export const problem = (check: Check['check'], { message, mend, exitCode = EXIT.failed }: Problem): Check => ({
  check,
  state: 'problem',
  message,
  mend,
  exitCode,
});

/** That of the first problem: what comes after it often follows from it. */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  return checks.find(({ state }) => state === 'problem')?.exitCode ?? EXIT.done;
}

const STATE_WIDTH = 'problem'.length;
const CHECK_WIDTH = Math.max(...CHECKS.map((name) => name.length));

const STYLES = { ok: 'good', note: 'note', problem: 'bad' } as const;

export function checkText({ check, state, message, mend }: Check, { paint }: Look): string {
  const line = `${paint(STYLES[state], state.padEnd(STATE_WIDTH))}  ${check.padEnd(CHECK_WIDTH)}  ${message}`;
  return mend === undefined ? line : `${line}\n${' '.repeat(STATE_WIDTH + CHECK_WIDTH + 4)}${mend}`;
}
