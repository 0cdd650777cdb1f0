// Whether a number keeps its value when it is read as a double and written again.

/** Takes a number in JSON's grammar. Spelling may change (`1.0`, `1e2`), the decimal value may not. */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const written = String(value);
  return written === text || plainDecimal(written) === plainDecimal(text);
}

/** One spelling for each decimal value: its digits without zeros around them, and the exponent of the last. */
function plainDecimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let first = 0;
  while (digits[first] === '0') first += 1;
  if (first === digits.length) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  const sign = text.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
