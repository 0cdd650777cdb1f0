// The id of a run, which says by itself where the run lives: whoever reports on one names nothing else.
//
//   run_ | 10 characters: whose it is, 1 bit for an organization, 48 bits of its id | 16 characters of chance
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const FORM = /^run_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;
const ORGANIZATION = 2 ** 48;

/** `chance` are 16 random bytes. */
export function formatRunId(homeId: number, chance: Uint8Array): string {
  const owner = homeId < 0 ? ORGANIZATION - homeId : homeId;
  const digits: string[] = [];
  for (let rest = owner, count = 0; count < 10; count++, rest = Math.floor(rest / 32)) {
    digits.unshift(ALPHABET[rest % 32] ?? '');
  }
  return `run_${digits.join('')}${[...chance.subarray(0, 16)].map((byte) => ALPHABET[byte & 31]).join('')}`;
}

/** Whose a run is; `undefined` for what is no id of one. */
export function homeOfRun(runId: string): number | undefined {
  const [, owner] = FORM.exec(runId) ?? [];
  if (owner === undefined) return undefined;
  const value = [...owner].reduce((sum, digit) => sum * 32 + ALPHABET.indexOf(digit), 0);
  return value >= ORGANIZATION ? -(value - ORGANIZATION) : value;
}
