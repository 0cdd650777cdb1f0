// What the name of a shape may be: as a type, for names that are written down, and when the program runs, for all.
import { fail } from '@cairn/protocol/errors';
import { SHAPE_NAME } from '@cairn/protocol/names';

const RULE = 'A name of a shape is a letter, then up to 127 letters, digits, _, - and dots';

/** The name, where it can be one; else what a name is, which the compiler then says. */
export type SoundName<Name extends string> = string extends Name
  ? Name
  : IsName<Name> extends true
    ? Name
    : typeof RULE;

type Letter =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z');
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

type IsName<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? Lowercase<First> extends Letter
    ? IsRest<Rest>
    : false
  : false;

type IsRest<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? Lowercase<First> extends Letter | Digit | '_' | '-' | '.'
    ? IsRest<Rest>
    : false
  : true;

/** Refuses what the server would refuse, before anything is built on it. */
export function checkShapeName(name: string): void {
  if (SHAPE_NAME.test(name)) return;
  throw fail('VALIDATION_ERROR', { message: `${JSON.stringify(name)} names no shape. ${RULE}, such as Location.` });
}
