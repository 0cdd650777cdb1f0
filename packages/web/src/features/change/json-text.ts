// Reads JSON strictly: rejects duplicate names and inexact numbers, as the server does.
import { isExactNumber, isJsonObject, scanJson } from '@cairn/model/json';

type ReadJson = { readonly value: unknown } | { readonly problem: string };

export function readJson(text: string): ReadJson {
  try {
    scanJson(text);
    return { value: JSON.parse(text) };
  } catch (error) {
    const { message } = error as Error;
    return { problem: message.replace('. Send ', '. Write ').replace('This is not JSON:', 'This is not JSON yet:') };
  }
}

const NO_OBJECT = 'This is not a JSON object yet. Fix it to continue.';

export function objectProblem(text: string): string | undefined {
  const found = text.trim() === '' ? { value: undefined } : readJson(text);
  if ('problem' in found) return found.problem;
  return isJsonObject(found.value) ? undefined : NO_OBJECT;
}

export const isInexact = (text: string): boolean => !isExactNumber(text);

export function numberOf(text: string): unknown {
  const trimmed = text.trim().replace(/^\+/, '');
  if (trimmed === '') return undefined;
  return isExactNumber(trimmed) ? Number(trimmed) : trimmed;
}

export function inexactText(value: unknown): string | undefined {
  if (typeof value !== 'string' || numberOf(value) !== value || Number.isNaN(Number(value))) return undefined;
  if (!Number.isFinite(Number(value)))
    return 'This number is too large: the limit is about 1.8e308. Enter a smaller number.';
  return `Numbers have about 15 digits: this would become ${Number(value)}. If each digit matters, change the type of the field to string.`;
}
