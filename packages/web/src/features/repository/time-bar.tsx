import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useState } from 'react';
import { toCommit } from '../../app/links.ts';
import { type LiveState, useLiveState } from '../../app/live.tsx';
import { commitAt } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Message } from '../commit/commit-list.tsx';

const FOLLOWED: readonly LiveState[] = ['connecting', 'live'];
const REST_MS = 150;

interface TimeBarProps {
  readonly sight: Sight;
  /** A copy begins at the sequence that was imported. */
  readonly first: number;
  readonly latest: number;
}

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
      // One step back leaves the past, instead of replaying the slider.
      replace: isStep && at !== undefined,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is gone where the hand rests, and once.
  useEffect(() => {
    if (held === undefined) return;
    const timer = setTimeout(async () => {
      await go(held, true);
      setHeld((now) => (now === held ? undefined : now));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [held]);
  // A linked sequence still needs a way back to the present.
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
        <SmallButton aria-label="One commit back" disabled={shown <= first} onClick={() => void go(shown - 1)}>
          ‹
        </SmallButton>
        <SmallButton aria-label="One commit forward" disabled={shown >= latest} onClick={() => void go(shown + 1)}>
          ›
        </SmallButton>
      </div>
      <div className="said">
        <span>
          <label htmlFor={id}>{held === undefined ? labelOf({ at, first, latest, state }) : 'Going to sequence'}</label>{' '}
          <output htmlFor={id}>
            {shown.toLocaleString('en')} <span className="quiet">of {latest.toLocaleString('en')}</span>
          </output>
        </span>
        {at === shown && held === undefined && <CommitThere sight={sight} at={at} />}
        {at !== undefined && <SmallButton onClick={() => void go(undefined)}>Back to now</SmallButton>}
      </div>
    </section>
  );
}

type TimeState = Omit<TimeBarProps, 'sight'> & Pick<Sight, 'at'> & { readonly state: LiveState };

function labelOf({ at, first, latest, state }: TimeState): string {
  if (at === undefined) return FOLLOWED.includes(state) ? 'Now, at sequence' : 'As loaded, at sequence';
  if (at > latest) return 'This sequence does not exist yet. The latest is';
  if (at < first) return 'Not in this copy, which starts at sequence';
  return at === latest ? 'Latest sequence' : 'Viewing the past, at sequence';
}

function CommitThere({ sight, at }: { sight: Sight; at: number }) {
  const { data } = useQuery(commitAt(sight, at));
  const [commit] = data?.items ?? [];
  if (commit === undefined) return null;
  return (
    <p className="quiet">
      <Link {...toCommit(sight, commit.repoSeq)}>
        <Message message={commit.message} />
      </Link>
      , <Author createdBy={commit.createdBy} />, <Moment at={commit.createdAt} />
    </p>
  );
}
