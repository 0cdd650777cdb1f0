// Patterns of string fields come from users, so they run on RE2: its time is linear in the text, whatever the pattern.
import { RE2JS, RE2JSException } from 're2js';
import { codePointLength, counted } from './json.ts';

const CHARACTERS_MAX = 1_000;
// Linear still means pattern times text. Repeats multiply: a thousand characters can expand to a hundred thousand
// instructions, which take seconds on a page of text and half a second to compile.
const INSTRUCTIONS_MAX = 1_500;
const SHAPE_INSTRUCTIONS_MAX = 3_000;

/**
 * The longest text that a pattern is tried on. Some patterns take 30 microseconds a character, so a text of a megabyte
 * would block the writer for half a minute.
 */
export const PATTERN_TEXT_CHARACTERS_MAX = 4_096;

/**
 * True if the pattern is found anywhere in the text; `^` and `$` anchor it to the ends. Longer texts pass here: another
 * constraint refuses them.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (text) => text.length > PATTERN_TEXT_CHARACTERS_MAX || compiled.test(text);
}

export class PatternAllowance {
  #instructionsLeft = SHAPE_INSTRUCTIONS_MAX;

  problemWith(pattern: string): string | undefined {
    if (codePointLength(pattern) > CHARACTERS_MAX) return `expected at most ${counted(CHARACTERS_MAX, 'character')}`;
    // Stops compiling, or a thousand large patterns would block everyone else for minutes.
    if (this.#instructionsLeft <= 0) return 'not checked, because the patterns before it are too large together';
    try {
      return this.#spend(RE2JS.compile(pattern).programSize());
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const reason = error.message.replace(/^error parsing regexp: /, '');
      return `not a valid regular expression in RE2 syntax, which has no look-around or back-references: ${reason}`;
    }
  }

  #spend(instructions: number): string | undefined {
    this.#instructionsLeft -= instructions;
    if (instructions > INSTRUCTIONS_MAX) return 'the pattern is too large; repeat less, or use minLength and maxLength';
    return this.#instructionsLeft < 0 ? 'the pattern is too large together with the patterns before it' : undefined;
  }
}
