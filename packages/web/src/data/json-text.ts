// JSON as people write it. Numbers become doubles and the last of two equal names stays: what parsing would change without a
// word is told to who writes it, as the server would tell a program.
import { isExactNumber } from '@cairn/protocol/json-number';
import { scanJson } from '@cairn/protocol/json-scan';

export type ReadJson = { readonly value: unknown } | { readonly problem: string };

/** `otherwise` is said of what is no JSON at all. */
export function readJson(text: string, otherwise: string): ReadJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: otherwise };
  }
  try {
    scanJson(text);
    return { value };
  } catch (error) {
    // It speaks to programs.
    return { problem: error instanceof Error ? error.message.replace('. Send ', '. Write ') : otherwise };
  }
}

/** Of a number in JSON. */
export const isInexact = (text: string): boolean => !isExactNumber(text);

/** What is no number, or would be another, is left as it is. */
export function numberOf(text: string): unknown {
  const trimmed = text.trim().replace(/^\+/, '');
  if (trimmed === '') return undefined;
  return isExactNumber(trimmed) ? Number(trimmed) : trimmed;
}

/** Why a number was left as text. Nothing, where it is none. */
export function inexactText(value: unknown): string | undefined {
  if (typeof value !== 'string' || numberOf(value) !== value || !Number.isFinite(Number(value))) return undefined;
  return `Numbers keep about 15 digits: this would become ${Number(value)}. Where each digit matters, the shape must have a text here.`;
}
