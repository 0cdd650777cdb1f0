import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { type Sight, timeOf } from '../../app/sight.ts';
import { commitAt } from '../../data/queries.ts';
import { Author } from '../../parts/author.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Text } from '../../parts/text.tsx';

/** The view waits so long for the hand to rest. */
const REST_MS = 150;

interface TimeBarProps {
  readonly sight: Sight;
  /** Of a copy, the sequence that was imported: what was before it can be read in the original alone. */
  readonly first: number;
  readonly latest: number;
}

/** The whole view as of any sequence. */
export function TimeBar({ sight, first, latest }: TimeBarProps) {
  const { at } = sight;
  const navigate = useNavigate();
  const id = useId();
  const [held, setHeld] = useState<number>();
  const shown = held ?? Math.max(Math.min(at ?? latest, latest), Math.min(first, latest));
  const go = (to: number | undefined, isStep = false) =>
    void navigate({
      to: '.',
      search: ({ at: _, ...others }) => (to === undefined || to >= latest ? others : { ...others, at: to }),
      // Back leads out of the past at once, and not through every place that the slider passed.
      replace: isStep && at !== undefined,
    });
  useEffect(() => {
    if (held === undefined) return;
    const timer = setTimeout(() => {
      setHeld(undefined);
      go(held, true);
    }, REST_MS);
    return () => clearTimeout(timer);
  });
  // With one commit there is nowhere to go; who came by an address of another sequence still finds the way back.
  if (latest <= first && at === undefined) return null;
  return (
    <section className={at === undefined || at === latest ? 'time-bar' : 'time-bar past'} aria-label="Time">
      <label htmlFor={id}>{labelOf({ at, first, latest })}</label>
      <input
        id={id}
        type="range"
        min={Math.min(first, latest)}
        max={latest}
        value={shown}
        aria-valuetext={`${shown} of ${latest}`}
        onChange={(event) => setHeld(Number(event.target.value))}
      />
      <output htmlFor={id}>
        {shown.toLocaleString('en')} <span className="quiet">of {latest.toLocaleString('en')}</span>
      </output>
      <div className="steps">
        <button type="button" className="small" disabled={shown <= first} onClick={() => go(shown - 1)}>
          <span aria-hidden="true">‹</span>
          <span className="hidden">One commit back</span>
        </button>
        <button type="button" className="small" disabled={shown >= latest} onClick={() => go(shown + 1)}>
          <span aria-hidden="true">›</span>
          <span className="hidden">One commit on</span>
        </button>
        {at !== undefined && (
          <button type="button" className="small" onClick={() => go(undefined)}>
            Back to now
          </button>
        )}
      </div>
      {at === shown && held === undefined && <CommitThere sight={sight} at={at} />}
    </section>
  );
}

function labelOf({ at, first, latest }: Omit<TimeBarProps, 'sight'> & Pick<Sight, 'at'>): string {
  if (at === undefined) return 'Now, at sequence';
  if (at > latest) return 'No such sequence yet: the newest is';
  if (at < first) return 'Not in this copy, which begins at sequence';
  return at === latest ? 'As of the newest sequence so far' : 'You see the past: as it was at sequence';
}

function CommitThere({ sight, at }: { sight: Sight; at: number }) {
  const { data } = useQuery(commitAt(sight, at));
  const [commit] = data?.items ?? [];
  if (commit === undefined) return null;
  return (
    <p className="quiet">
      <Link
        to="/$orgName/$repoName/commits/$repoSeq"
        params={{ orgName: sight.orgName, repoName: sight.repoName, repoSeq: String(commit.repoSeq) }}
        search={timeOf(sight)}
      >
        <Text>{commit.message || 'Without a message'}</Text>
      </Link>
      , <Author createdBy={commit.createdBy} />, <Moment at={commit.createdAt} />
    </p>
  );
}
