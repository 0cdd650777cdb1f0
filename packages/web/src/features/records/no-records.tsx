import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { description } from '../../app/queries.ts';
import type { RecordsSearch } from '../../app/search.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { CommandNote } from '../../ui/command-note.tsx';
import { Text } from '../../ui/text.tsx';
import type { DeclaredField } from '../shape/declared-field.ts';
import { AlsoRetracted } from './also-retracted.tsx';
import { AskedNames } from './asked-names.tsx';
import { beginningsOf, hasOperator, looseningsOf, singlesOf } from './loosening.ts';
import { sampleLine } from './sample-line.ts';
import { ALL, type Choose, isNarrowed } from './use-choice.ts';

interface NoRecordsProps {
  readonly search: RecordsSearch;
  /** Of the shape that is chosen. */
  readonly fields: readonly DeclaredField[];
  readonly retracted: number;
  readonly choose: Choose;
}

/** Why there is nothing to see, and what to do about it. */
export function NoRecords(props: NoRecordsProps) {
  const { at } = useSight();
  return (
    <section className="empty" aria-label="What was found">
      {isNarrowed(props.search) ? (
        <NothingFits {...props} />
      ) : at === undefined ? (
        <NothingYet />
      ) : (
        <>
          <p>There were no records yet at sequence {at.toLocaleString('en')}.</p>
          <BackToNow at={at} />
        </>
      )}
    </section>
  );
}

/** How the first one is written: of a shape that is there, or with one. */
function NothingYet() {
  const sight = useSight();
  const { data } = useQuery(description(sight));
  if (data === undefined) return null;
  const sample = sampleLine(data.shapes);
  return (
    <>
      <p>
        There are no records yet. This writes the first one{sample === undefined && ', and the shape that it needs'}:
      </p>
      <pre>
        <code>{commandOf(sight, sample === undefined ? WITH_SHAPE : [sample])}</code>
      </pre>
      <p>
        <CommandNote /> <a href="/docs/writing">Writing</a> goes on from there. What is written shows up here by itself.
      </p>
    </>
  );
}

const WITH_SHAPE = [
  '{ "kind": "shape", "name": "Location", "data": { "fields": { "x": "number" } } }',
  '{ "name": "Location/cave", "data": { "x": 3 } }',
];

const commandOf = ({ orgName, repoName }: Sight, lines: readonly string[]) =>
  [`cairn commit submit --repo ${orgName}/${repoName} --file - <<'END'`, ...lines, 'END'].join('\n');

function NothingFits({ search, fields, retracted, choose }: NoRecordsProps) {
  const { at } = useSight();
  const loosenings = looseningsOf(search);
  const singles = singlesOf(search.q ?? '');
  const beginning = beginningsOf(search.q ?? '');
  const searches = [...singles, ...(beginning === undefined ? [] : [beginning])];
  return (
    <>
      <p>No record fits what is chosen.</p>
      <AskedNames search={search} fields={fields} choose={choose} />
      <AlsoRetracted count={retracted} />
      {singles.length > 0 && (
        <p>
          A record must hold all the words{hasOperator(search.q ?? '') && '; AND, OR and NOT are words like others'}.
        </p>
      )}
      {loosenings.length > 0 && <p>Look again without one of these, or without all:</p>}
      <p className="choices">
        {loosenings.map(({ what, change }) => (
          <button key={what} type="button" className="secondary" onClick={() => choose(change)}>
            Without <Text>{what}</Text>
          </button>
        ))}
        {searches.map((q) => (
          <button key={q} type="button" className="secondary" onClick={() => choose({ q })}>
            Search for <Text>{q}</Text>
          </button>
        ))}
        <button type="button" onClick={() => choose(ALL)}>
          {clearing(search)}
        </button>
        {at !== undefined && <BackToNow at={at} />}
      </p>
    </>
  );
}

function clearing({ q, ...filters }: RecordsSearch): string {
  if (q === undefined) return 'Clear the filters';
  return isNarrowed(filters) ? 'Clear the search and the filters' : 'Clear the search';
}

function BackToNow({ at }: { at: number }) {
  const navigate = useNavigate();
  const go = () => void navigate({ to: '.', search: ({ at: _, ...others }) => others, resetScroll: false });
  return (
    <button type="button" className="secondary" aria-label={`Go from sequence ${at} to now`} onClick={go}>
      Look at what is there now
    </button>
  );
}
