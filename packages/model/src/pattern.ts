// Patterns of string fields. They come from users, so they run on RE2: time linear in the text, whatever the pattern.
import { RE2JS, RE2JSException } from 're2js';
import { codePointLength, counted } from './json.ts';

const CHARACTERS_MAX = 1_000;
// Linear still means pattern times text. Repeats multiply: a thousand characters can stand for a hundred thousand
// instructions, which take seconds on a page of text and half a second to compile.
const INSTRUCTIONS_MAX = 1_500;
const SHAPE_INSTRUCTIONS_MAX = 3_000;

/**
 * The longest text that a pattern is tried on. Some patterns take 30 microseconds a character: a text of a megabyte would
 * hold the writer for half a minute.
 */
export const PATTERN_TEXT_CHARACTERS_MAX = 4_096;

/** True if the pattern is found anywhere in the text; `^` and `$` tie it to the ends. Longer texts are not tried. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern);
  return (text) => text.length > PATTERN_TEXT_CHARACTERS_MAX || compiled.test(text);
}

/** How much the patterns of one shape may cost together. */
export class PatternAllowance {
  #instructionsLeft = SHAPE_INSTRUCTIONS_MAX;

  /** What is wrong with a pattern, if anything. */
  problemWith(pattern: string): string | undefined {
    if (codePointLength(pattern) > CHARACTERS_MAX) return `expected at most ${counted(CHARACTERS_MAX, 'character')}`;
    // Nothing more is compiled then, or a thousand large patterns would hold everyone else up for minutes.
    if (this.#instructionsLeft <= 0) return 'not looked at: the patterns before it are too large together';
    try {
      return this.#spend(RE2JS.compile(pattern).programSize());
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      const reason = error.message.replace(/^error parsing regexp: /, '');
      return `not a regular expression that is taken here (the syntax of RE2, without look-around and back-references): ${reason}`;
    }
  }

  #spend(instructions: number): string | undefined {
    this.#instructionsLeft -= instructions;
    if (instructions > INSTRUCTIONS_MAX) return 'the pattern is too large; repeat less, or use minLength and maxLength';
    return this.#instructionsLeft < 0 ? 'together with those before it, the pattern is too large' : undefined;
  }
}
