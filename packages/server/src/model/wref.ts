// Addresses of records: `Shape/name`, a shape's bare name, or a durable ID; with `@HEAD` or `@vN`.
import { fail } from '@cairn/protocol/errors';
import { parseDurableId } from './durable-id.ts';
import { parseRecordName, type RecordName } from './record-name.ts';

export type Wref = {
  /** `undefined` means HEAD. */
  readonly version: number | undefined;
} & ({ readonly name: RecordName } | { readonly repoId: number; readonly recordId: number });

export function parseWref(text: string): Wref {
  const at = text.lastIndexOf('@');
  const base = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : parsePin(text, text.slice(at + 1));
  const identity = parseDurableId(base);
  if (identity !== undefined) return { ...identity, version };
  return { name: parseRecordName(base), version };
}

function parsePin(text: string, pin: string): number | undefined {
  if (pin === 'HEAD') return undefined;
  const version = /^v([1-9][0-9]{0,14})$/.exec(pin)?.[1];
  if (version !== undefined) return Number(version);
  const message = `${JSON.stringify(text)} ends in @${pin}. Use @HEAD or a version such as @v3.`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path: 'wref', message }] });
}
