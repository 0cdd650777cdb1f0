import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, couldNameRecordOf, extendsGlob, problemWithGlob } from './glob.ts';

/** The same meaning as a regular expression, which may backtrack for ever where our matcher does not. */
function byRegularExpression(glob: string): RegExp {
  const pattern = glob.replaceAll(/\*\*|\*|[^*]+/g, (part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part.replaceAll(/[^A-Za-z0-9/]/g, '\\$&');
  });
  return new RegExp(`^${pattern}$`, 's');
}

const segment = fc.string({ unit: fc.constantFrom('a', 'b', '.'), minLength: 1, maxLength: 3 });
const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const glob = fc
  .array(fc.constantFrom('a', 'b', '.', '/', '*', '**', 'ab'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(/\*{3,}/g, '**'));

describe('a glob', () => {
  it('matches what the regular expression of the same meaning matches', () => {
    fc.assert(
      fc.property(glob, name, (g, n) => compileGlob(g)(n) === byRegularExpression(g).test(n)),
      {
        numRuns: 5_000,
      },
    );
  });

  it('takes no time that grows with its wildcards', () => {
    expect(compileGlob('**a'.repeat(300))('a'.repeat(500).replace(/a$/, 'b'))).toBe(false);
    expect(problemWithGlob('*a*b*c*d')).toBeUndefined();
    expect(problemWithGlob('*a*b*c*d*')).toContain('4 wildcards');
  });

  it('extends another only where it matches nothing more', () => {
    fc.assert(
      fc.property(glob, glob, name, (g, wider, n) => {
        fc.pre(extendsGlob(g, wider) && compileGlob(g)(n));
        return compileGlob(wider)(n);
      }),
      { numRuns: 200, maxSkipsPerRun: 10_000 },
    );
  });

  it.each([
    ['Signal/**', 'Signal/**', true],
    ['Signal/a/**', 'Signal/**', true],
    ['Signal/a*', 'Signal/**', true],
    ['Signal/a', 'Signal/**', true],
    ['Signal/**', '**', true],
    ['Signal/a*', 'Signal/*', true],
    ['Signal/a', 'Signal/*', true],
    ['Signal/a/b', 'Signal/*', false],
    ['Signal/*', 'Signal/**', false],
    ['Signal/**', 'Signal/a/**', false],
    ['**', 'Signal/**', false],
    ['Other/**', 'Signal/**', false],
    ['Signal/b', 'Signal/a', false],
    ['Signal/a/*/x', 'Signal/*/x', false],
    ['Signal/a*/x', 'Signal/*/x', true],
  ])('%s extends %s: %s', (g, wider, expected) => {
    expect(extendsGlob(g, wider)).toBe(expected);
  });

  it('could name a record of a shape when some name of one matches', () => {
    fc.assert(
      fc.property(glob, segment, name, (g, shapeName, local) => {
        fc.pre(compileGlob(g)(`${shapeName}/${local}`));
        return couldNameRecordOf(g, shapeName);
      }),
      { numRuns: 1_000, maxSkipsPerRun: 10_000 },
    );
  });

  it.each([
    ['Signal/**', 'Signal', true],
    ['Signal/a', 'Signal', true],
    ['Signal/**', 'Sig', false],
    ['Signal/**', 'Signals', false],
    ['**', 'Signal', true],
    ['*/a', 'Signal', true],
    ['Sig*/a', 'Signal', true],
    ['Sig*/a', 'Other', false],
    ['Signal', 'Signal', false],
    ['S**x', 'Signal', true],
    ['T**x', 'Signal', false],
  ])('%s could name a record of %s: %s', (g, shapeName, expected) => {
    expect(couldNameRecordOf(g, shapeName)).toBe(expected);
  });

  it.each(['', ' ', 'a b', 'a@v1', 'wh:a/b', '***', 'a\u0000', 'x'.repeat(1_025), '\ud800'])('cannot be %j', (text) => {
    expect(problemWithGlob(text)).toBeTypeOf('string');
  });

  it.each(['**', '*', 'Signal/**', 'Signal/a-b_c.d', 'Ä/ö*'])('can be %s', (text) => {
    expect(problemWithGlob(text)).toBeUndefined();
  });
});
