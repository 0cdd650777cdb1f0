// Random commits like those of test/support/relation, plus features that matter for exports: long and unusual texts,
// reasons, authors, committers, swapped names, and long histories.
import fc from 'fast-check';
import { type CommitIntent, commitIntents } from '../relation/intent.ts';

export interface ExportIntent extends CommitIntent {
  /** An extra text for the data of the operation at the same index; `undefined` for none. */
  readonly notes: readonly (string | undefined)[];
  readonly reason: string | undefined;
  readonly author: string;
  readonly committer: number | undefined;
  /** Runs before all else: swaps the names of two records, or changes one record `times` times. */
  readonly first: { readonly do: 'swap' | 'burst'; readonly pick: number; readonly times: number } | undefined;
}

const LONG = ['x'.repeat(40_000), 'ü🪨'.repeat(20_000), '"\\\n'.repeat(30_000), 'y'.repeat(300_000)];
const SHORT = [
  '',
  'größer "als" 🪨',
  '\u0000\u0001\u007f\u2028\u2029\ufeff',
  '\\u0041</script>',
  '{"type":"end"}\n',
  'x',
];

const note = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constantFrom(...SHORT) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

const author = fc.constantFrom('user:ada', 'token:ada/ci', 'component:acme/alerts');
const first = fc.record({
  do: fc.constantFrom('swap' as const, 'burst' as const),
  pick: fc.nat(20),
  times: fc.nat(30),
});
const extra = fc.record({
  notes: fc.array(note, { maxLength: 10, size: 'max' }),
  reason: fc.option(fc.constantFrom('collapsed', 'ä "q" 🪨'), { nil: undefined }),
  author,
  committer: fc.option(fc.nat(20), { nil: undefined }),
  first: fc.option(first, { nil: undefined, freq: 2 }),
});

export const exportIntents: fc.Arbitrary<readonly ExportIntent[]> = commitIntents.chain((intents) =>
  fc
    .tuple(...intents.map(() => extra))
    .map((extras) => intents.map((intent, index) => ({ ...intent, ...(extras[index] as (typeof extras)[0]) }))),
);
