// What changes while it is looked at: what is on the screen is asked for again, and what changed is known for a while, so
// that it can be marked.
import type { LiveInvalidate, LiveReady } from '@cairn/protocol/live';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { repositoryKey } from '../data/queries.ts';
import { inSeat } from './live-seat.ts';
import { usePageSeen } from './page-seen.ts';
import { isHidden } from './problem.ts';
import { client, useSession } from './session.ts';
import type { Sight } from './sight.ts';

/** `closed`: who looks may not see it any more. */
export type LiveState = 'connecting' | 'waiting' | 'live' | 'offline' | 'closed' | 'ended';

export interface Live {
  readonly state: LiveState;
  /** Counts the times that everything was asked for again. */
  readonly turn: number;
  /** Records and shapes that changed a moment ago, and what they are about. */
  readonly changed: ReadonlySet<string>;
}

/** In a view of the past nothing is marked, and a page outside of a repository has nothing to follow. */
const STILL: Live = { state: 'ended', turn: 0, changed: new Set() };
const CLOSED: Live = { ...STILL, state: 'closed' };
const LiveContext = createContext<Live>(STILL);

export const useLive = (): Live => useContext(LiveContext);

/** How long a change is marked. */
const MARKED_MS = 8_000;
/** So long what comes is gathered: a busy repository must not make the page ask without pause. */
const GATHER_MS = 500;

export function LiveProvider({ sight, children }: { sight: Sight; children: ReactNode }) {
  const live = useFollowed(sight);
  const past = live.state === 'closed' ? CLOSED : STILL;
  return <LiveContext value={sight.at === undefined ? live : past}>{children}</LiveContext>;
}

/** Also while the past is looked at: how far the repository has come since is told there. */
function useFollowed({ orgName, repoName }: Sight): Live {
  const queries = useQueryClient();
  const isSeen = usePageSeen();
  const [state, setState] = useState<LiveState>('connecting');
  const [turn, setTurn] = useState(0);
  const { changed, mark } = useMarks();
  /** How far it was followed before the page was hidden: what came since is told when it is seen again. */
  const known = useRef<{ orgName: string; repoName: string; repoSeq: number }>(undefined);
  const { turn: signIns } = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in again follows again.
  useEffect(() => {
    if (!isSeen) return;
    setState('connecting');
    let gathered: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLate = false;
    const tell = () => {
      timer = undefined;
      mark(gathered);
      gathered = [];
      setTurn((before) => before + 1);
      void queries.invalidateQueries({ queryKey: repositoryKey({ orgName, repoName }), predicate: isOfNow });
    };
    const onReady = ({ repoSeq }: LiveReady) => {
      known.current = { orgName, repoName, repoSeq };
      setState('live');
      if (isLate) timer ??= setTimeout(tell, GATHER_MS);
    };
    const onChange = ({ repoSeq, affectedRecords, affectedShapes, affectedTargets }: LiveInvalidate) => {
      known.current = { orgName, repoName, repoSeq };
      gathered.push(...affectedRecords, ...affectedShapes, ...affectedTargets);
      timer ??= setTimeout(tell, GATHER_MS);
    };
    const follow = async () => {
      const isSame = known.current?.orgName === orgName && known.current.repoName === repoName;
      const stream = client.repo.live(orgName, repoName, onChange, {
        onReady,
        onCut: () => setState('offline'),
        lastEventId: isSame ? known.current?.repoSeq : undefined,
        signal: left.signal,
      });
      await stream.closed.catch((error: unknown) => setState(isHidden(error) ? 'closed' : 'ended'));
    };
    const onWait = () => {
      isLate = true;
      setState('waiting');
    };
    const left = new AbortController();
    void inSeat({ signal: left.signal, onWait }, follow);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [orgName, repoName, queries, mark, isSeen, signIns]);
  return useMemo(() => ({ state, turn, changed }), [state, turn, changed]);
}

/** Of what was asked for at a sequence nothing changes. Keys say which it is in their fifth place, if any. */
const AT_PLACE = 4;
const isOfNow = ({ queryKey }: { queryKey: readonly unknown[] }) => typeof queryKey[AT_PLACE] !== 'number';

function useMarks() {
  const [changed, setChanged] = useState<ReadonlySet<string>>(() => new Set());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const mark = useMemo(
    () => (names: readonly string[]) => {
      setChanged((before) => new Set([...before, ...names]));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setChanged(new Set()), MARKED_MS);
    },
    [],
  );
  return { changed, mark };
}
