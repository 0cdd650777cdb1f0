import { useNavigate } from '@tanstack/react-router';
import type { RecordsSearch } from '../../app/search.ts';
import { useSight } from '../../app/sight.ts';
import { ALL, type Choose, isNarrowed } from './use-choice.ts';

/** Why there is nothing to see, and what to do about it. */
export function NoRecords({ search, choose }: { search: RecordsSearch; choose: Choose }) {
  const { at, orgName, repoName } = useSight();
  return (
    <section className="empty" aria-label="What was found">
      {isNarrowed(search) ? (
        <>
          <p>No record fits what is chosen.</p>
          <p className="choices">
            <button type="button" onClick={() => choose(ALL)}>
              Clear the filters
            </button>
            {at !== undefined && <BackToNow at={at} />}
          </p>
        </>
      ) : at === undefined ? (
        <>
          <p>There are no records yet. This writes the first one, and the shape that it needs:</p>
          <pre>
            <code>{firstRecord(`${orgName}/${repoName}`)}</code>
          </pre>
          <p>
            <a href="/docs/writing">Writing</a> goes on from there. What is written shows up here by itself.
          </p>
        </>
      ) : (
        <>
          <p>There were no records yet at sequence {at.toLocaleString('en')}.</p>
          <BackToNow at={at} />
        </>
      )}
    </section>
  );
}

const firstRecord = (repo: string) =>
  [
    `npx @cairn/cli commit submit --repo ${repo} --file - <<'END'`,
    '{ "kind": "shape", "name": "Location", "data": { "fields": { "x": "number" } } }',
    '{ "name": "Location/cave", "data": { "x": 3 } }',
    'END',
  ].join('\n');

function BackToNow({ at }: { at: number }) {
  const navigate = useNavigate();
  const go = () => void navigate({ to: '.', search: ({ at: _, ...others }) => others, resetScroll: false });
  return (
    <button type="button" className="secondary" aria-label={`Go from sequence ${at} to now`} onClick={go}>
      Look at what is there now
    </button>
  );
}
