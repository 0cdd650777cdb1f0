// Width and colours of printed text. Piped output has no limit and no colours, so that it is complete and plain.
import { styleText } from 'node:util';
import type { Snippet } from '@cairn/sdk';
import type { Io } from './io.ts';
import { formatScope } from './scope.ts';

const STYLES = { heading: 'dim', good: 'green', note: 'yellow', bad: 'red' } as const;

type Style = keyof typeof STYLES;

export interface Look {
  /** Undefined means unlimited. */
  readonly columns: number | undefined;
  readonly paint: (style: Style, text: string) => string;
}

export const PLAIN: Look = { columns: undefined, paint: (_, text) => text };

export interface ColorFlags {
  /** False for `--no-color`. */
  readonly color?: boolean;
}

export function outLook(io: Io, flags: ColorFlags): Look {
  return lookOf(io, flags, io.stdoutColumns);
}

export function errorLook(io: Io, flags: ColorFlags): Look {
  return lookOf(io, flags, io.stderrColumns);
}

function lookOf({ environment }: Io, { color = true }: ColorFlags, columns: number | undefined): Look {
  const hasColors = color && wantsColors(environment, columns !== undefined);
  return { columns, paint: hasColors ? paint : PLAIN.paint };
}

/** Follows common conventions: https://no-color.org, and FORCE_COLOR for undetected terminals. */
function wantsColors({ NO_COLOR, FORCE_COLOR, TERM }: Io['environment'], isTerminal: boolean): boolean {
  if (NO_COLOR !== undefined) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}

function paint(style: Style, text: string): string {
  return styleText(STYLES[style], text, { validateStream: false });
}

/** Matches the codes that `paint` writes. */
const PAINTED = new RegExp(
  Object.values(STYLES)
    .flatMap((style) => styleText(style, '\n', { validateStream: false }).split('\n'))
    .map((code) => code.replaceAll('[', String.raw`\[`))
    .join('|'),
  'gu',
);

/** Keeps line breaks, but removes terminal control codes from text that others wrote. Only codes of `paint` stay. */
export function harmless(text: string, { paint: painter }: Look = PLAIN): string {
  const clean = (part: string) => part.replaceAll(/[^\P{Cc}\n\t]/gu, ' ');
  if (painter === PLAIN.paint) return clean(text);
  const ours = text.match(PAINTED) ?? [];
  return text
    .split(PAINTED)
    .map((part, index) => `${clean(part)}${ours[index] ?? ''}`)
    .join('');
}

const WORD_LISTS = ['allowed', 'withheld'];

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const isSnippet = (value: unknown): value is Snippet => typeof value === 'object' && value !== null && 'text' in value;

export const isTime = (name: string) => /^at$|(At|Until)$/.test(name);

/** Local time as `2026-11-19 18:04`, which is the Swedish format. */
export const shownTime = (at: number) =>
  new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });

export function shownValue(name: string, value: unknown): string {
  if (typeof value === 'number' && isTime(name)) return shownTime(value);
  if (name === 'scopes' && Array.isArray(value)) return value.map(formatScope).join('; ');
  if (value === undefined) return '';
  if (name === 'snippet' && isSnippet(value)) return value.path === '' ? value.text : `${value.path}: ${value.text}`;
  if (isWords(value) && WORD_LISTS.includes(name)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Also removes terminal control codes. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ');
}

const UNQUOTED = /^[\w@%+=:,./-]+$/;

export function shellWord(text: string): string {
  return UNQUOTED.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
