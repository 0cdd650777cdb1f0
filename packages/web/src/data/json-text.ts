// JSON as people write it. Numbers become doubles and the last of two equal names stays: what parsing would change without a
// word is told to who writes it, as the server would tell a program.
import { isExactNumber } from '@cairn/protocol/json-number';
import { scanJson } from '@cairn/protocol/json-scan';
import { isObject } from './declaration.ts';

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

const NO_OBJECT = 'This is no JSON object yet. Mend it to go on.';

/** Why a text is not the data of a record yet. */
export function objectProblem(text: string): string | undefined {
  const found = readJson(text, NO_OBJECT);
  if ('problem' in found) return found.problem;
  return isObject(found.value) ? undefined : NO_OBJECT;
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
  if (typeof value !== 'string' || numberOf(value) !== value || Number.isNaN(Number(value))) return undefined;
  if (!Number.isFinite(Number(value))) return 'No number as large as this can be kept: the limit is about 1.8e308.';
  return `Numbers keep about 15 digits: this would become ${Number(value)}. Where each digit matters, the shape must have a text here.`;
}
