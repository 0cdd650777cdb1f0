// How results and failures are printed: data on standard output, the rest on standard error.
import { CairnError, type ErrorFields, type Page } from '@cairn/sdk';
import type { Io } from './io.ts';

const CELL_MAX = 60;

export type Format = 'pretty' | 'json' | 'jsonl';

export function printResult(io: Io, format: Format, result: unknown): void {
  if (format === 'json') io.stdout(`${JSON.stringify(result, null, 2)}\n`);
  else if (format === 'jsonl') for (const item of listOf(result)) io.stdout(`${JSON.stringify(item)}\n`);
  else io.stdout(`${pretty(result)}\n`);
}

interface ShownPage {
  readonly page: Page<object>;
  readonly columns: readonly string[];
}

/** As JSON the page as it is, in lines its items; for people a table, and how to see more beside it. */
export function printPage(io: Io, format: Format, { page, columns }: ShownPage): void {
  if (format === 'json') printResult(io, format, page);
  else if (format === 'jsonl') printResult(io, format, page.items);
  else if (page.items.length > 0) io.stdout(`${table(page.items, columns)}\n`);
  if (format !== 'json' && page.nextCursor !== undefined) io.stderr(`There are more: --cursor ${page.nextCursor}\n`);
}

function table(items: readonly object[], columns: readonly string[]): string {
  const rows = items.map((item) => {
    const values = new Map<string, unknown>(Object.entries(item));
    return columns.map((name) => cell(shown(name, values.get(name))));
  });
  const lines = [columns, ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const padded = (line: readonly string[]) => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ');
  return lines.map((line) => padded(line).trimEnd()).join('\n');
}

function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > CELL_MAX ? `${line.slice(0, CELL_MAX - 1)}…` : line;
}

function listOf(result: unknown): unknown[] {
  return Array.isArray(result) ? result : [result];
}

function pretty(result: unknown): string {
  if (typeof result !== 'object' || result === null) return String(result);
  const entries = Object.entries(result);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${shown(name, value)}`).join('\n');
}

function shown(name: string, value: unknown): string {
  if (typeof value === 'number' && name.endsWith('At')) return new Date(value).toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function printError(io: Io, format: Format, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const fields: Partial<ErrorFields> = error instanceof CairnError ? error.fields : { message };
  if (format !== 'pretty') {
    io.stderr(`${JSON.stringify({ error: fields })}\n`);
    return;
  }
  io.stderr(`Error: ${message}${fields.code === undefined ? '' : ` (${fields.code})`}\n`);
  if (fields.hint !== undefined) io.stderr(`${fields.hint}\n`);
}
