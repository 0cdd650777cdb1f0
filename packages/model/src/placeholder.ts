// Placeholders of operations: `$N` in the name of an add asks the server for a unique value, and `#N` in a wref refers
// to the resulting record. N is a label.

import { fail } from '@cairn/protocol/errors';
import { type Pin, parsePin } from './wref.ts';

const MINTED = /\$(0|[1-9][0-9]{0,8})(?![0-9])/;
const REFERENCE = /^#(0|[1-9][0-9]{0,8})$/;

export interface NamePlaceholder {
  readonly label: number;
  readonly before: string;
  readonly after: string;
}

/** The placeholder must be the only one and in the last segment. The result is `undefined` for a name without `$`. */
export function parseNamePlaceholder(text: string): NamePlaceholder | undefined {
  if (!text.includes('$')) return undefined;
  const found = MINTED.exec(text);
  const before = text.slice(0, found?.index);
  const after = found === null ? '' : text.slice(found.index + found[0].length);
  if (found === null || after.includes('/') || after.includes('$') || !before.includes('/')) {
    const message = `${JSON.stringify(text.slice(0, 80))} is not a valid placeholder. Write one $ and a number in the last part of the name, such as Note/$1.`;
    throw fail('VALIDATION_ERROR', { message, details: [{ path: '/name', message }] });
  }
  return { label: Number(found[1]), before, after };
}

export function labelIn(text: string): number | undefined {
  const label = MINTED.exec(text)?.[1];
  return label === undefined ? undefined : Number(label);
}

export interface PlaceholderReference {
  readonly token: number;
  readonly pin: Pin;
}

export function parsePlaceholderReference(text: string): PlaceholderReference | undefined {
  if (!text.startsWith('#')) return undefined;
  const { base, pin } = parsePin(text);
  const label = REFERENCE.exec(base)?.[1];
  if (label !== undefined) return { token: Number(label), pin };
  const message = `${JSON.stringify(text.slice(0, 80))} does not refer to a placeholder. Write # and the number of a placeholder, such as #1 for $1.`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path: 'wref', message }] });
}
