import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isExactNumber } from './json-scan.ts';

it.each([
  '0',
  '-0',
  '0.0',
  '-0.00',
  '0e400',
  '0E-400',
  '0e99999999999999999999',
  '1.0',
  '1e2',
  '1E+2',
  '100e-2',
  '0.10',
  '0.1',
  '-0.1',
  '0.30000000000000004',
  '5e-324',
  '0.5e-323',
  '4.9e-1',
  '1.7976931348623157e308',
  '9007199254740992',
  '-9007199254740992',
  '1e23',
  '100000000000000000000000',
  '123456789012345',
])('%s is exact', (text) => {
  expect(isExactNumber(text)).toBe(true);
});

it.each([
  '1e400',
  '-1e400',
  '1e-400',
  '1e99999999999999999999',
  '1e-99999999999999999999',
  '9007199254740993',
  '-9007199254740993',
  '3.141592653589793238',
  '0.1000000000000000055511151231257827',
  '4.9e-324',
  '2e-324',
  '1.7976931348623159e308',
  '123456789012345678',
])('%s is not exact', (text) => {
  expect(isExactNumber(text)).toBe(false);
});

it('a long number is exact when all but a few of its digits are zeros', () => {
  const zeros = (count: number) => '0'.repeat(count);
  for (const text of [`1${zeros(308)}`, `1.${zeros(5000)}`, `0.${zeros(323)}5`]) expect(isExactNumber(text)).toBe(true);
  for (const text of [`1${zeros(309)}`, `1.${zeros(5000)}1`, '9'.repeat(5000)]) expect(isExactNumber(text)).toBe(false);
});

it('every double is exact as it is written, in any spelling', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(400), (number, zeros) => {
      expect(isExactNumber(String(number))).toBe(true);
      const [mantissa = '', exponent = ''] = number.toExponential().split('e');
      const padding = '0'.repeat(zeros);
      const more = mantissa.includes('.') ? padding : `.${padding}0`;
      expect(isExactNumber(`${mantissa}${more}E${exponent}`)).toBe(true);
    }),
  );
});
