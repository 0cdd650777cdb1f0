import type { ListedRecord } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { said } from '../../data/record.ts';
import { placeOf } from '../../data/wref.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { MorePages } from '../../parts/more-pages.tsx';
import { RecordLink } from '../../parts/record-link.tsx';
import { Text } from '../../parts/text.tsx';
import { Value } from '../../parts/value.tsx';

interface RecordSaidProps {
  readonly sight: Sight;
  readonly wref: string;
  /** Where one was chosen, what is said is about it alone. */
  readonly version: number | undefined;
}

/** Assertions, each with who makes it. */
export function RecordSaid({ sight, wref, version }: RecordSaidProps) {
  const query = useInfiniteQuery(said(sight, wref));
  return (
    <section aria-labelledby="record-said">
      <h2 id="record-said">What is said about {version === undefined ? 'it' : `version ${version}`}</h2>
      <Loaded query={query} what="what is said about it" isPart>
        {({ pages }) => <Assertions assertions={pages.flatMap(({ items }) => items)} />}
      </Loaded>
      <MorePages query={query} what="assertions" />
    </section>
  );
}

function Assertions({ assertions }: { assertions: readonly ListedRecord[] }) {
  const { changed } = useLive();
  if (assertions.length === 0) return <p className="quiet">Nothing is said about it yet.</p>;
  return (
    <ul className="assertions">
      {assertions.map((assertion) => (
        <li key={assertion.durableId} className={changed.has(assertion.name) ? 'changed' : undefined}>
          <p>
            <RecordLink wref={assertion.wref} />{' '}
            <span className="quiet">
              <Text>{assertion.createdBy}</Text>, <Moment at={assertion.versionCreatedAt} />
              {aboutVersion(assertion.aboutWref)}
            </span>
          </p>
          <Value data={assertion.data} refs={assertion.refs} />
        </li>
      ))}
    </ul>
  );
}

function aboutVersion(aboutWref: string | null | undefined): string {
  if (typeof aboutWref !== 'string') return '';
  const { version } = placeOf(aboutWref);
  return version === undefined ? '' : `, about version ${version}`;
}
