import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { around } from './graph.ts';
import { readTies } from './ties.ts';
import { Walk } from './walk.ts';
import type { WalkState } from './walk-state.ts';

/** The walk that an address tells, which follows what changes. */
export function useWalk(sight: Sight, from: string, opened: readonly string[]): { walk: Walk; state: WalkState } {
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
