// JSON texts in every spelling, valid and damaged, and a slow reference check of what JSON.parse accepts and preserves.
import fc from 'fast-check';

const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t ');
const digits = fc.stringMatching(/^[0-9]{1,9}$/);
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,20}$/), fc.constantFrom('9007199254740993')),
    fraction: fc.oneof(
      fc.constant(''),
      digits.map((text) => `.${text}`),
    ),
    exponent: fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,3}$/)),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);

// Few keys in several spellings, so that some repeat, and pieces that form or break surrogate pairs.
const piece = fc.oneof(
  fc.constantFrom('a', 'b', '\\u0061', '\\u0062', 'key', '__proto__', '\\n', '\\"', '\\/', 'é', '\u2028', '😀'),
  fc.constantFrom('\\ud83d', '\\uDE00', '\ud83d', '\ude00', '\\ud83d\\ude00'),
);
const string = fc.oneof(
  { weight: 3, arbitrary: fc.string().map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 3 }).map((pieces) => `"${pieces.join('')}"`) },
);

/** A valid JSON text. Parsing may still change its content. */
export const jsonText = fc.letrec<{ value: string; spaced: string; member: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.constantFrom('null', 'true', 'false'), number, double, string),
    fc.array(tie('spaced'), { maxLength: 5 }).map((items) => `[${items.join(',')}]`),
    fc.array(tie('member'), { maxLength: 12 }).map((members) => `{${members.join(',')}}`),
  ),
  spaced: fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
  member: fc.tuple(space, string, space, fc.constant(':'), tie('spaced')).map((parts) => parts.join('')),
})).spaced;

interface Change {
  readonly place: number;
  readonly removed: number;
  readonly added: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  added: fc.oneof(
    fc.constant(''),
    fc.constantFrom(...'{}[]:,"\\/u0123456789eE+-.tfn \n\t\0\u00a0\ufeff\ud83d\ude00'.split('')),
    fc.constantFrom('[[[', '{"a":', '"a":1,', '\\u', '\\ud800', '1e400', '00000000000000000', 'null'),
  ),
});

export const mutatedJsonText = fc
  .tuple(jsonText, fc.array(change, { minLength: 1, maxLength: 3 }))
  .map(([text, changes]) => changes.reduce(applyChange, text));

function applyChange(text: string, { place, removed, added }: Change): string {
  const at = Math.floor(place * text.length);
  return text.slice(0, at) + added + text.slice(at + removed);
}

/** True if JSON.parse accepts the text and preserves all of its content. Independent of the scanner under test. */
export function isFaithfulJson(text: string): boolean {
  const keysAndStrings: string[] = [];
  let members = 0;
  try {
    JSON.parse(text, (key, value) => {
      keysAndStrings.push(key);
      if (typeof value === 'string') keysAndStrings.push(value);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) members += Object.keys(value).length;
      return value;
    });
  } catch {
    return false;
  }
  const bare = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const numbers = bare.match(/-?\d[\d.eE+-]*/g) ?? [];
  return (
    members === [...bare].filter((character) => character === ':').length &&
    keysAndStrings.every((string) => string.isWellFormed()) &&
    numbers.every(keepsValue) &&
    depthOf(bare) <= 80
  );
}

function keepsValue(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/[1-9]/.test(text.replace(/e.*/i, ''));
  const unit = 400 + text.length;
  return inUnits(text, unit) === inUnits(String(value), unit);
}

function inUnits(text: string, unit: number): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const magnitude = BigInt(whole + fraction) * 10n ** BigInt(unit + Number(exponent) - fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}

function depthOf(bare: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of bare) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
