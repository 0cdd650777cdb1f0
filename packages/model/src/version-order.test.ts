import { describe, expect, it } from 'vitest';
import { compareVersions } from './version-order.ts';

/** The examples of semver.org and further ones, in ascending order. */
const IN_ORDER = [
  '0.0.0-0',
  '0.0.0',
  '0.0.1',
  '0.9.0',
  '0.10.0',
  '1.0.0-0.3.7',
  '1.0.0-1',
  '1.0.0-9',
  '1.0.0-10',
  '1.0.0--',
  '1.0.0-A',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-alpha-1',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '2.0.0',
  '2.1.0',
  '2.1.1',
  '10.0.0',
  '9007199254740993.0.0',
  '9007199254740994.0.0',
  '99999999999999999999.0.0',
];

describe('the order of versions', () => {
  it('is that of semver.org, for every two of them', () => {
    for (const [at, version] of IN_ORDER.entries()) {
      for (const [otherAt, other] of IN_ORDER.entries()) {
        const said = [version, other, Math.sign(compareVersions(version, other))];
        expect(said).toEqual([version, other, Math.sign(at - otherAt)]);
      }
    }
  });

  it('does not look at what was built from what', () => {
    expect(compareVersions('1.0.0+20130313144700', '1.0.0+exp-5114f85')).toBe(0);
    expect(compareVersions('1.0.0-alpha+001', '1.0.0-alpha')).toBe(0);
    expect(compareVersions('1.0.0+a-b', '1.0.0')).toBe(0);
  });
});
