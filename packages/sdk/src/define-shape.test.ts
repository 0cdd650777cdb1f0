import { describe, expect, it } from 'vitest';
import { CairnError, defineShape } from './index.ts';

describe('defineShape', () => {
  it.each(['Location', 'a', 'My.Location_a-1', `L${'x'.repeat(127)}`])('takes %s', (name) => {
    expect(defineShape(name, { x: 'number' }).wref('cave')).toBe(`${name}/cave`);
  });

  it.each(['Bad name', '', '1st', 'Location/cave', 'Größe', 'Line\n', `L${'x'.repeat(128)}`])(
    'refuses %j at once, and says what a name may be',
    (name) => {
      const define = () => defineShape(name, { x: 'number' });
      expect(define).toThrow(CairnError);
      expect(define).toThrow(
        `${JSON.stringify(name)} is not a shape name. A shape name is a letter followed by up to 127 letters, digits, _, - and dots, such as Location.`,
      );
    },
  );
});
