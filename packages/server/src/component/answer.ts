// What a component says in an answer, as far as it may be told to somebody else: without the secrets that it was given, and
// not longer than anybody reads.
import { storableText } from '../model/storable-text.ts';

const MESSAGE_CHARACTERS_MAX = 500;

/** `undefined` where it says nothing. The scrubber is used before the text is cut. */
export function messageIn(body: string, scrub: (text: string) => string): string | undefined {
  const shown = storableText(scrub(saidIn(body)))
    // Somebody may read it in a terminal.
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (shown === '') return undefined;
  return shown.length > MESSAGE_CHARACTERS_MAX ? `${shown.slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()}…` : shown;
}

/** Of JSON its `message`, or that of its `error`; else the text itself. */
function saidIn(body: string): string {
  const { message, error } = membersOf(body);
  const inner = typeof error === 'object' && error !== null ? (error as Members).message : error;
  const [said = body] = [message, inner].filter((text) => typeof text === 'string');
  return said;
}

interface Members {
  readonly message?: unknown;
  readonly error?: unknown;
}

function membersOf(body: string): Members {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** One that takes out what several of them do. */
export function scrubAll(...scrubbers: readonly ((text: string) => string)[]): (text: string) => string {
  return (text) => scrubbers.reduce((rest, scrub) => scrub(rest), text);
}
