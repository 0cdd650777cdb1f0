// Prints results to standard output and everything else to standard error.
import { CairnError, type Page } from '@cairn/sdk';
import type { Io } from './io.ts';
import { harmless, type Look, PLAIN, shownValue } from './look.ts';
import { failuresIn, JsonRefusal } from './operation-place.ts';
import { table } from './table.ts';

const ROWS_MAX = 20;

export type Format = 'pretty' | 'json' | 'jsonl';

/** Text for people, if it is more than the list of fields. */
export type PeopleText = string | ((look: Look) => string);

interface Output {
  readonly io: Io;
  readonly format: Format;
  readonly look: Look;
}

export function printResult({ io, format, look }: Output, result: unknown, people?: PeopleText): void {
  if (format === 'json') io.stdout(`${JSON.stringify(result, null, 2)}\n`);
  else if (format === 'jsonl') for (const item of listOf(result)) io.stdout(`${JSON.stringify(item)}\n`);
  else {
    const text = typeof people === 'function' ? people(look) : (people ?? pretty(result, look));
    io.stdout(`${harmless(text, look)}\n`);
  }
}

interface ShownPage {
  readonly page: Page<object>;
  readonly columns: readonly string[];
  /** Makes the row that people see of an item, if the columns name more than its fields. */
  readonly row?: ((item: never) => object) | undefined;
}

/**
 * Prints the page as JSON, its items as lines, or a table for people. Standard error shows the cursor of the next page.
 */
export function printPage(output: Output, { page, columns, row }: ShownPage): void {
  const { io, format } = output;
  if (format === 'json') printResult(output, page);
  else if (format === 'jsonl') printResult(output, page.items);
  else if (page.items.length > 0) {
    const rows = page.items.map((item) => row?.(item as never) ?? item);
    printResult(output, page, (look) => table(rows, columns, look));
  }
  if (format !== 'json' && page.nextCursor !== undefined) {
    io.stderr(harmless(`More results: --cursor ${page.nextCursor}\n`));
  }
}

function listOf(result: unknown): unknown[] {
  return Array.isArray(result) ? result : [result];
}

export function pretty(result: unknown, look: Look = PLAIN): string {
  if (typeof result !== 'object' || result === null) return String(result);
  const entries = Object.entries(result).map(([name, value]) => ({ name, value, rows: rowsIn(name, value) }));
  const width = Math.max(0, ...entries.map(({ name }) => name.length));
  return entries
    .toSorted((one, other) => placeOf(one.name, one.rows && '[]') - placeOf(other.name, other.rows && '[]'))
    .map(({ name, value, rows }) =>
      rows === undefined
        ? `${name.padEnd(width)}  ${shownValue(name, value)}`
        : [name, ...linesOf(rows, look).map((line) => `  ${line}`)].join('\n'),
    )
    .join('\n');
}

/** Fields in the order that people look for them: names, data, who and when, `…` for others, `[]` for rows, then ids. */
const ORDER = `
  name handle component token link aboutWref data message reason committerWref …
  version kind shapeName active recordCreatedAt repoSeq partial opIndex [] wref pinnedWref durableId aboutDurableId
  dataHash manifestHash commitId installId runId traceId refs`.split(/\s+/);

const placeOf = (name: string, otherwise = '…') => ORDER.indexOf(ORDER.includes(name) ? name : otherwise);

type TableRow = object | null;

function rowsIn(name: string, value: unknown): TableRow[] | undefined {
  const isBlock = Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null);
  return isBlock && name !== 'scopes' ? value : undefined;
}

function linesOf(rows: readonly TableRow[], look: Look): string[] {
  const first = rows.slice(0, ROWS_MAX);
  const more = rows.length > ROWS_MAX ? [`… and ${rows.length - ROWS_MAX} more; --json shows all`] : [];
  return [...(isPairs(first) ? paired(first) : listed(first, look)), ...more];
}

/** For example the `refs` of a record: pairs of path and target. */
function isPairs(rows: readonly TableRow[]): rows is [string, string][] {
  return rows.every((row) => Array.isArray(row) && row.length === 2);
}

function paired(pairs: readonly [string, string][]): string[] {
  const width = Math.max(...pairs.map(([place]) => place.length));
  return pairs.map(([place, wref]) => `${place.padEnd(width)}  ${wref}`);
}

function listed(rows: readonly TableRow[], { columns, paint }: Look): string[] {
  const items = rows.map((row) => row ?? {});
  const names = new Set(items.flatMap((item) => Object.keys(item)));
  return table(
    items,
    [...names].filter((name) => placeOf(name) < placeOf('[]')).toSorted((one, other) => placeOf(one) - placeOf(other)),
    { columns: columns && columns - 2, paint },
  ).split('\n');
}

export function printError({ io, format, look }: Output, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const fields = error instanceof CairnError ? error.fields : { code: 'USAGE', message };
  if (format !== 'pretty') {
    io.stderr(`${JSON.stringify({ error: fields })}\n`);
    return;
  }
  const code = error instanceof CairnError ? ` (${fields.code})` : '';
  io.stderr(
    `${look.paint('bad', 'Error:')} ${harmless(inWords(message, fields.code, error instanceof JsonRefusal))}${code}\n`,
  );
  if (error instanceof CairnError) printMore(io, error);
}

const FAILURES_SHOWN_MAX = 10;

function printMore(io: Io, error: CairnError): void {
  const { details, hint } = error;
  const failures = failuresIn(details);
  if (failures.length > 1) {
    for (const { index, name, code, message, place = `operation ${index}` } of failures.slice(0, FAILURES_SHOWN_MAX)) {
      const said = inWords(message, code, error instanceof JsonRefusal);
      io.stderr(harmless(`  ${place}${name === '' ? '' : `, ${name}`}: ${said}\n`));
    }
    if (failures.length > FAILURES_SHOWN_MAX) io.stderr('  … --json shows more\n');
  }
  if (hint !== undefined) io.stderr(harmless(`${inFlags(hint)}\n`));
}

/** The server names fields and procedures; the CLI has flags and commands. */
const IN_FLAGS: readonly (readonly [string, string])[] = [
  ['send atomic: false', 'use --no-atomic'],
  ['send atomicity=none', 'use --atomicity none'],
  [' Send one as a bearer token.', ''],
  [' Create another, or leave the header out.', ''],
  ['includeRetracted', '--include-retracted'],
  ['skipExisting', '--skip-existing'],
  ['atRepoSeq', '--at'],
  ['sinceRepoSeq', '--since'],
  ['resolveCollections', '--resolve-collections'],
  ['acrossRepos', '--across-repos'],
  ['need shape', 'need --shape'],
  ['needs about', 'needs --about'],
  [
    'Turn them on with repo.configure and features: { streamSubmissions: true }',
    'Turn them on: cairn repo configure --stream-submissions on',
  ],
  ['fallbackWebhookUrl', '--fallback-webhook-url'],
  ['webhookUrl', '--webhook-url'],
  ['allowTraceReentry', '--allow-trace-reentry'],
  ['Use shape.rename', 'Use cairn shape rename'],
  ['Use thing.get', 'Use cairn thing get'],
];

/** Messages start with the name of their parameter. */
const IN_FRONT =
  /^(about|cursor|depth|direction|event|fields|filter|kind|limit|match|order|q|role|shape|source|status|subscription|where): /;

export function inFlags(text: string): string {
  return IN_FLAGS.reduce((words, [field, flag]) => words.replaceAll(field, flag), text.replace(IN_FRONT, '--$1: '));
}

/** Keeps field names in errors about JSON input, where they match the input. */
export function inWords(text: string, code: string, isJson = false): string {
  return isJson && code === 'VALIDATION_ERROR' ? text : inFlags(text);
}
