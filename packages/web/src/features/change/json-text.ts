// JSON as people write it. Numbers become doubles and the last of two equal names stays: what parsing would change without a
// word is told to who writes it, as the server would tell a program.

import { isJsonObject } from '@cairn/model/json';
import { isExactNumber } from '@cairn/protocol/json-number';
import { scanJson } from '@cairn/protocol/json-scan';

export type ReadJson = { readonly value: unknown } | { readonly problem: string };

/** Where it is none, the problem says at which line and column, and what could stand there. */
export function readJson(text: string): ReadJson {
  try {
    scanJson(text);
    return { value: JSON.parse(text) };
  } catch (error) {
    const { message } = error as Error;
    // It speaks to programs.
    return { problem: message.replace('. Send ', '. Write ').replace('This is not JSON:', 'This is not JSON yet:') };
  }
}

const NO_OBJECT = 'This is no JSON object yet. Mend it to go on.';

/** Why a text is not the data of a record yet. */
export function objectProblem(text: string): string | undefined {
  const found = text.trim() === '' ? { value: undefined } : readJson(text);
  if ('problem' in found) return found.problem;
  return isJsonObject(found.value) ? undefined : NO_OBJECT;
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
