// Errors for refused JSON texts: each names the location, and a valid alternative.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { jsonPointerAt } from './json-pointer.ts';

const QUOTED_CHARACTERS_MAX = 80;

export function notJson(text: string, at: number, expected: string): CairnError {
  const before = text.slice(0, at);
  const line = countLines(before);
  const column = at - before.lastIndexOf('\n');
  const character = text.codePointAt(at);
  const found = character === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(character));
  const message = `This is not JSON: expected ${expected} at line ${line}, column ${column}, but found ${found}.`;
  return fail('VALIDATION_ERROR', { message, details: [{ path: jsonPointerAt(text, at), message, line, column }] });
}

export function nestingRefused(path: string, maxDepth: number): CairnError {
  return refusal(path, `The value ${placed(path)} is nested more than ${maxDepth} levels deep. Flatten it.`);
}

export function tooManyRefused(maxValues: number): CairnError {
  const message = `The JSON has more than ${maxValues.toLocaleString('en')} values; each array or object counts as four. Split it into several requests.`;
  return fail('PAYLOAD_TOO_LARGE', { message, details: { maxValues } });
}

export function numberRefused(text: string, start: number, end: number): CairnError {
  const path = jsonPointerAt(text, start);
  const number = clipped(text.slice(start, end));
  return refusal(path, `The number ${number} ${placed(path)} cannot be stored exactly. Send it as a string.`);
}

export function duplicateKeyRefused(text: string, at: number): CairnError {
  const path = jsonPointerAt(text, at);
  return refusal(path, `The key ${placed(path)} appears twice in its object. Send it once.`);
}

export function surrogateRefused(text: string, at: number): CairnError {
  const path = jsonPointerAt(text, at);
  return refusal(
    path,
    `The string ${placed(path)} contains an unpaired surrogate, which is not a character. Send both halves of the pair, or neither.`,
  );
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function refusal(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}

function placed(path: string): string {
  return path === '' ? 'at the root' : `at ${clipped(path)}`;
}

// Keys and numbers can be as long as the body, but a message must stay readable. The details have the whole path.
function clipped(text: string): string {
  return text.length > QUOTED_CHARACTERS_MAX ? `${text.slice(0, QUOTED_CHARACTERS_MAX).toWellFormed()}...` : text;
}
