// How results and failures are printed: data on standard output, the rest on standard error.
import { CairnError, type ErrorFields } from '@cairn/sdk';
import type { Io } from './io.ts';

export type Format = 'pretty' | 'json' | 'jsonl';

export function printResult(io: Io, format: Format, result: unknown): void {
  if (format === 'json') io.stdout(`${JSON.stringify(result, null, 2)}\n`);
  else if (format === 'jsonl') for (const item of listOf(result)) io.stdout(`${JSON.stringify(item)}\n`);
  else io.stdout(`${pretty(result)}\n`);
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
