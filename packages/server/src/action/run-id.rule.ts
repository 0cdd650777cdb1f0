// Run ids encode their owner, so that a report needs nothing but the id: run_, 10 characters (1 bit for an
// organization, 48 bits of its id or the repository's), and 16 random characters.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RUN_ID = /^run_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;
const ORGANIZATION = 2 ** 48;

export function formatRunId(homeId: number, chance: Uint8Array): string {
  const owner = homeId < 0 ? ORGANIZATION - homeId : homeId;
  const digits: string[] = [];
  for (let rest = owner, count = 0; count < 10; count++, rest = Math.floor(rest / 32)) {
    digits.unshift(ALPHABET[rest % 32] ?? '');
  }
  return `run_${digits.join('')}${[...chance.subarray(0, 16)].map((byte) => ALPHABET[byte & 31]).join('')}`;
}

export function homeOfRun(runId: string): number | undefined {
  const [, owner] = RUN_ID.exec(runId) ?? [];
  if (owner === undefined) return undefined;
  const value = [...owner].reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0);
  return value >= ORGANIZATION ? -(value - ORGANIZATION) : value;
}
