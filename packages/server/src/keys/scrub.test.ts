import { describe, expect, it } from 'vitest';
import { createScrubber, secretsInUrl } from './scrub.ts';

const SECRET = 'pä/ss "word"+42';

describe('scrubbing', () => {
  const scrub = createScrubber([SECRET, 'pä']);
  const bytes = Buffer.from(SECRET);

  it.each([
    SECRET,
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    JSON.stringify(SECRET).slice(1, -1),
    JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/'),
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).toLowerCase(),
    new URLSearchParams({ a: SECRET }).toString().slice(2),
  ])('takes out %s', (form) => {
    expect(scrub(`before ${form} between ${form}, after`)).toBe('before *** between ***, after');
  });

  it('takes out the beginning of a secret where the text ends', () => {
    expect(scrub(`cut ${SECRET.slice(0, 9)}`)).not.toContain('ss');
    expect(scrub(`cut ${bytes.toString('base64').slice(0, 12)}`)).toBe('cut ***');
  });

  it('leaves all else', () => {
    expect(scrub('{"ok":true}')).toBe('{"ok":true}');
    expect(createScrubber([])('text')).toBe('text');
  });

  it('knows what of a URL may be secret, and leaves its host', () => {
    const path = '/hooks/T0123456789-B0123456789';
    const withoutUrl = createScrubber(secretsInUrl(`https://hooks.example.com${path}?token=short`));
    expect(withoutUrl(`Cannot POST ${path} at hooks.example.com`)).toBe('Cannot POST *** at hooks.example.com');
    expect(withoutUrl(`Cannot POST ${path}?token=short`)).toBe('Cannot POST ***');
    expect(withoutUrl('T0123456789-B0123456789 is no token')).toBe('*** is no token');
    expect(secretsInUrl('https://example.com/')).toEqual([]);
  });
});
