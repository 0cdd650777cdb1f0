// Compares two versions by rule 11 of semver.org. The protocol has already checked their form.

/** Negative if the first comes before the second, 0 if they are equal. Build metadata after a + does not count. */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [parseVersion(left), parseVersion(right)];
  const byNumbers = compareParts(one.numbers, other.numbers);
  if (byNumbers !== 0) return byNumbers;
  // 1.0.0-beta comes before 1.0.0.
  if (one.prerelease.length === 0 || other.prerelease.length === 0) {
    return other.prerelease.length - one.prerelease.length;
  }
  return compareParts(one.prerelease, other.prerelease);
}

function parseVersion(version: string): { numbers: string[]; prerelease: string[] } {
  const [, numbers = '', prerelease] = /^([^-+]*)(?:-([^+]*))?/.exec(version) ?? [];
  return { numbers: numbers.split('.'), prerelease: prerelease?.split('.') ?? [] };
}

function compareParts(left: readonly string[], right: readonly string[]): number {
  for (const [at, part] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function comparePart(left: string, right: string): number {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  // There are no leading zeros, so the longer number is the greater one, however many digits there are.
  if (isNumber && left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
