import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { type LiveState, useLiveState } from '../../app/live.tsx';
import { commitAt } from '../../app/queries.ts';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Author } from '../../ui/author.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import '../../ui/css/time-bar.css';

/** Of other states nobody knows whether what was loaded is still so. */
const FOLLOWED: readonly LiveState[] = ['connecting', 'live'];

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
  const state = useLiveState();
  const go = (to: number | undefined, isStep = false) =>
    navigate({
      to: '.',
      search: ({ at: _, ...others }) => (to === undefined || to >= latest ? others : { ...others, at: to }),
      // Back leads out of the past at once, and not through every place that the slider passed.
      replace: isStep && at !== undefined,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is gone where the hand rests, and once.
  useEffect(() => {
    if (held === undefined) return;
    const timer = setTimeout(async () => {
      // Until the view is there, the slider stays where the hand left it.
      await go(held, true);
      setHeld((now) => (now === held ? undefined : now));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [held]);
  // With one commit there is nowhere to go; who came by an address of another sequence still finds the way back.
  if (latest <= first && at === undefined) return null;
  return (
    <section className={at === undefined || at === latest ? 'time-bar' : 'time-bar past'} aria-label="Time">
      <input
        id={id}
        type="range"
        min={Math.min(first, latest)}
        max={latest}
        value={shown}
        aria-valuetext={`${shown} of ${latest}`}
        onChange={(event) => setHeld(Number(event.target.value))}
      />
      <div className="steps">
        <button type="button" className="small" disabled={shown <= first} onClick={() => void go(shown - 1)}>
          <span aria-hidden="true">‹</span>
          <span className="hidden">One commit back</span>
        </button>
        <button type="button" className="small" disabled={shown >= latest} onClick={() => void go(shown + 1)}>
          <span aria-hidden="true">›</span>
          <span className="hidden">One commit on</span>
        </button>
      </div>
      <div className="said">
        <span>
          <label htmlFor={id}>{held === undefined ? labelOf({ at, first, latest, state }) : 'Going to sequence'}</label>{' '}
          <output htmlFor={id}>
            {shown.toLocaleString('en')} <span className="quiet">of {latest.toLocaleString('en')}</span>
          </output>
        </span>
        {at === shown && held === undefined && <CommitThere sight={sight} at={at} />}
        {at !== undefined && (
          <button type="button" className="small" onClick={() => void go(undefined)}>
            Back to now
          </button>
        )}
      </div>
    </section>
  );
}

type Told = Omit<TimeBarProps, 'sight'> & Pick<Sight, 'at'> & { readonly state: LiveState };

function labelOf({ at, first, latest, state }: Told): string {
  if (at === undefined) return FOLLOWED.includes(state) ? 'Now, at sequence' : 'As it was when loaded, at sequence';
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
