// Values that often break comparisons: text that engines, JSON and LIKE read differently, and numbers at the limits.
import type { Random } from '../random.ts';

/** Longer than the part of a text that an index keeps. */
const LONG = 'long common beginning '.repeat(14);

export const TEXTS: readonly string[] = [
  '',
  'a',
  'A',
  'ab',
  'b',
  'a\u0000',
  'a\u0000b',
  '\u0000',
  '\u0001',
  'a\u0001',
  'a"b',
  "a'b",
  'a\\b',
  'a\\u0000',
  'a%',
  'a_',
  'a%b',
  'axb',
  '[a]',
  'a*',
  'a,b',
  'a:b',
  'a b',
  'true',
  '1',
  'null',
  'é',
  'e\u0301',
  'ß',
  '\u{FF5E}',
  '\u{1F600}',
  '\u{1F600}a',
  '\u{10FFFF}',
  '\u{E000}',
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}\u{1F600}`,
  LONG.slice(0, 255),
  LONG.slice(0, 256),
  LONG.slice(0, 257),
  `${LONG.slice(0, 254)}\u{1F600}`,
  `${LONG.slice(0, 255)}é`,
];

export const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.9,
  -0.9,
  3,
  10,
  1e21,
  -1e21,
  2 ** 53 - 1,
  2 ** 60,
  -(2 ** 60),
  5e-324,
  -5e-324,
  1e-7,
  1.7976931348623157e308,
  123456.789,
];

export function randomJson(random: Random): unknown {
  switch (random.below(7)) {
    case 0:
      return random.pick(TEXTS);
    case 1:
      return random.pick(NUMBERS);
    case 2:
      return random.once(2);
    case 3:
      return null;
    case 4:
      return [random.pick(TEXTS), random.pick(NUMBERS)];
    case 5:
      return {};
    default:
      return { x: random.pick(NUMBERS), label: random.pick(TEXTS), '': random.pick(TEXTS) };
  }
}
