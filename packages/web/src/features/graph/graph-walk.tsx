import { useSearch } from '@tanstack/react-router';
import { Calls } from '../../app/calls.tsx';
import { useOnline } from '../../app/online.ts';
import { isMissing, problemOf } from '../../app/problem.ts';
import { type Sight, atOf, useSight } from '../../app/sight.ts';
import { MissingRecord } from '../record/missing-record.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { FIRST } from './asking.ts';
import { GraphStart } from './graph-start.tsx';
import { GraphView } from './graph-view.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useLive } from '../../app/live.tsx';
import { around } from './graph.ts';
import { readTies } from './ties.ts';
import { Walk } from './walk.ts';
import type { WalkState } from './walk-state.ts';

const NOTHING: readonly string[] = [];

export function GraphWalk({ from }: { from: string }) {
  const sight = useSight();
  const { opened = NOTHING } = useSearch({ from: '/$orgName/$repoName/graph' });
  const { walk, state } = useWalk(sight, from, opened);
  const isOnline = useOnline();
  const isEmpty = state.nodes.size === 0;
  if (isEmpty && isMissing(state.problem)) {
    return (
      <>
        <MissingRecord sight={sight} name={from}>
          {(name) => <GraphWalk key={name} from={name} />}
        </MissingRecord>
        <GraphStart />
      </>
    );
  }
  return (
    <>
      <h1 className="graph-title">
        The graph around <RecordLink wref={from} />
      </h1>
      {state.problem !== undefined && <Problem problem={state.problem} retry={() => void walk.show(opened)} />}
      {isEmpty && state.problem === undefined && (
        <p className="waiting" role="status">
          {isOnline ? 'Loading the graph…' : 'You are offline. This goes on when you are back.'}
        </p>
      )}
      {isEmpty && state.problem !== undefined && <GraphStart />}
      {!isEmpty && <GraphView walk={walk} state={state} opened={opened} from={from} />}
      <Calls shown={[callFor(sight, from)]} />
    </>
  );
}

const callFor = (sight: Sight, from: string) => ({
  what: 'The records around it',
  procedure: 'thing.graph',
  given: [from],
  names: ['wref'],
  options: { ...FIRST, includeRetracted: true, ...atOf(sight) },
});

function Problem({ problem, retry }: { problem: unknown; retry: () => void }) {
  const { title, advice } = problemOf(problem);
  const hint = problem instanceof Error && 'hint' in problem ? String(problem.hint ?? '') : '';
  return (
    <div className="problem" role="alert">
      <p>
        {title}. {advice} {hint}
      </p>
      <button type="button" className="small" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** The walk that an address tells, which follows what changes. */
function useWalk(sight: Sight, from: string, opened: readonly string[]): { walk: Walk; state: WalkState } {
  const queries = useQueryClient();
  const walk = useMemo(
    () =>
      new Walk(from, {
        around: (name, options) => queries.fetchQuery(around(sight, name, options)),
        ties: (durableId, cursor) => readTies(sight, durableId, cursor),
      }),
    [queries, sight, from],
  );
  const state = useSyncExternalStore(walk.subscribe, walk.state);
  const { turn, changed } = useLive();
  const before = useRef(opened);
  useEffect(() => {
    const isLess = before.current.some((name) => !opened.includes(name));
    before.current = opened;
    void (isLess ? walk.fold(opened) : walk.show(opened));
  }, [walk, opened]);
  useEffect(() => () => walk.stop(), [walk]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changed is asked for once, not again when its mark ends.
  useEffect(() => {
    if (turn > 0) void walk.refresh(changed);
  }, [walk, turn]);
  return { walk, state: useLasting(state) };
}

/** What was shown before stays until there is something else, so that what is in both keeps its place. */
function useLasting(state: WalkState): WalkState {
  const last = useRef(state);
  if (state.nodes.size > 0 || state.problem !== undefined) last.current = state;
  return last.current;
}
