// Records of the growing repositories: one reference and one indexed field each.
import { type Contents, READING_FIELDS, reading } from './read-data.ts';

const RECORDS_A_TARGET = 1_000;

function referring(field: string, n: number): object {
  const target = n - (n % RECORDS_A_TARGET);
  return n === target ? {} : { [field]: `Reading/r${target}` };
}

export const REFERRING: Contents = {
  fields: { ...READING_FIELDS, 'before?': 'wref' },
  data: (n) => ({ ...reading(n).data, ...referring('before', n) }),
  revised: (n) => ({ ...reading(1).data, label: `as it was after ${n}`, ...referring('before', 1) }),
};

const SHORT_DATA_BYTES = 38;
const RECORDS_A_REFERENCE = 10;
const SCORES = 10_000;

/**
 * A version fits on a page of 512 bytes, but at most four do. A reference doubles that size and moves the rest of a
 * version to an overflow page, so only some records have one.
 */
export const SHORT: Contents = {
  fields: { score: READING_FIELDS.score, 'label?': 'string', 'of?': 'wref' },
  data: (n) => (n % RECORDS_A_REFERENCE === 1 ? { score: scoreOf(n), ...referring('of', n) } : labelled(n)),
  revised: (n) => labelled(n),
};

const scoreOf = (n: number) => ((n * 2_654_435_761) % SCORES) / SCORES;

function labelled(n: number): object {
  const data = { score: scoreOf(n), label: '' };
  return { ...data, label: '.'.repeat(SHORT_DATA_BYTES - JSON.stringify(data).length) };
}
