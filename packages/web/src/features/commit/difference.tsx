import type { Difference } from '@cairn/sdk';
import { lazy, Suspense } from 'react';
import { Fact } from '../../ui/list.tsx';
import { pathText } from '../../ui/path-text.ts';
import { CodeText, ShowMore, usePortion } from '../../ui/text.tsx';
import { Value } from '../record/value.tsx';

const LineDifference = lazy(async () => ({ default: (await import('./line-difference.tsx')).LineDifference }));

const SAID: Readonly<Record<Difference['change'], { readonly label: string; readonly sign: string }>> = {
  added: { label: 'Added', sign: '+' },
  removed: { label: 'Removed', sign: '−' },
  changed: { label: 'Changed', sign: '±' },
};

export function Differences({ differences }: { differences: readonly Difference[] }) {
  const { shown, left, more } = usePortion(differences);
  if (differences.length === 0) return <p className="quiet">The data did not change.</p>;
  return (
    <div className="differences">
      <ul>
        {shown.map((difference) => (
          <li key={`${difference.change} ${difference.path}`} className={`difference difference-${difference.change}`}>
            <Places difference={difference} />
          </li>
        ))}
      </ul>
      <ShowMore left={left} more={more} what="differences" />
    </div>
  );
}

function Places({ difference: { path, change, before, after } }: { difference: Difference }) {
  const { label, sign } = SAID[change];
  return (
    <>
      <p className="difference-place">
        <span className="difference-sign" aria-hidden="true">
          {sign}
        </span>
        {label} {path === '' ? 'the whole value' : <CodeText>{pathText(path)}</CodeText>}
      </p>
      {isOfLines(before) && isOfLines(after) ? (
        <TextDifference before={before} after={after} />
      ) : (
        <Sides before={change === 'added' ? undefined : before} after={change === 'removed' ? undefined : after} />
      )}
    </>
  );
}

const isOfLines = (data: unknown): data is string => typeof data === 'string' && data.includes('\n');

/** Longer texts take too long to compare. */
const LINES_CHARACTERS_MOST = 200_000;

export function TextDifference({ before, after }: { before: string; after: string }) {
  if (before.length + after.length > 2 * LINES_CHARACTERS_MOST) return <Sides before={before} after={after} />;
  return (
    <Suspense fallback={<p className="waiting">Comparing…</p>}>
      <LineDifference before={before} after={after} />
    </Suspense>
  );
}

const Sides = ({ before, after }: { before: unknown; after: unknown }) => (
  <dl className="difference-sides">
    {Object.entries({ Before: before, After: after }).map(
      ([name, data]) =>
        data !== undefined && (
          <Fact key={name} name={name}>
            <Value data={data} />
          </Fact>
        ),
    )}
  </dl>
);
