// What changes while it is looked at: what is on the screen is asked for again, and what changed is known for a while, so
// that it can be marked.
import type { LiveInvalidate, LiveReady } from '@cairn/protocol/stream';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { repository, repositoryKey } from '../data/queries.ts';
import { useAgain } from './live-again.ts';
import { useMarks } from './live-marks.ts';
import { inSeat } from './live-seat.ts';
import { useOnline } from './online.ts';
import { usePageSeen } from './page-seen.ts';
import { isHidden } from './problem.ts';
import { client, useSession } from './session.ts';
import type { Sight } from './sight.ts';

/** `closed`: who looks may not see it any more. From there, as from `ended`, it is tried again. */
export type LiveState = 'connecting' | 'waiting' | 'live' | 'offline' | 'closed' | 'ended';

export interface Live {
  readonly state: LiveState;
  /** Counts the times that everything was asked for again. */
  readonly turn: number;
  /** Records and shapes that changed a moment ago, and what they are about. */
  readonly changed: ReadonlySet<string>;
  /** Asks for everything again: for who looks at a page that is not live. */
  readonly reload: () => void;
}

/** In a view of the past nothing is marked, and a page outside of a repository has nothing to follow. */
const STILL: Live = { state: 'ended', turn: 0, changed: new Set(), reload: () => {} };
const CLOSED: Live = { ...STILL, state: 'closed' };
const LiveContext = createContext<Live>(STILL);

export const useLive = (): Live => useContext(LiveContext);

/** As it can be told: a stream that is cut may look whole for a while. */
export function useLiveState(): LiveState {
  const { state } = useLive();
  return useOnline() ? state : 'offline';
}

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
  const reload = useCallback(() => {
    setTurn((before) => before + 1);
    const filters = { queryKey: repositoryKey({ orgName, repoName }), predicate: mayBeOld };
    // What takes longer to read than the next change to come would never be there, if it were begun anew each time.
    void queries.invalidateQueries(filters, { cancelRefetch: false });
  }, [orgName, repoName, queries]);
  const wasHidden = useRef(false);
  /** How far it was followed: what came while the page was hidden is told when it is seen again. */
  const known = useRef<{ orgName: string; repoName: string; repoSeq: number }>(undefined);
  const { turn: signIns } = useSession();
  const again = useAgain(isOver(state));
  /** Which repository it was that could not be followed any more. */
  const over = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in again follows again, and so is what was over.
  useEffect(() => {
    if (!isSeen) {
      wasHidden.current = true;
      return;
    }
    const name = `${orgName}/${repoName}`;
    const wasOver = over.current === name;
    // Until it is there again, the page says so without a break.
    setState((before) => (wasOver && isOver(before) ? before : 'connecting'));
    let gathered: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLate = wasOver;
    const tell = () => {
      timer = undefined;
      mark(gathered);
      gathered = [];
      reload();
    };
    const onReady = ({ repoSeq }: LiveReady) => {
      known.current = { orgName, repoName, repoSeq };
      over.current = '';
      setState('live');
      if (isLate) timer ??= setTimeout(tell, GATHER_MS);
    };
    const onChange = ({ repoSeq, affectedRecords, affectedShapes, affectedTargets }: LiveInvalidate) => {
      known.current = { orgName, repoName, repoSeq };
      gathered.push(...affectedRecords, ...affectedShapes, ...affectedTargets);
      timer ??= setTimeout(tell, GATHER_MS);
    };
    const listen = async () => {
      const isSame = known.current?.orgName === orgName && known.current.repoName === repoName;
      // What was read before, here or on an earlier visit, is as old as what was read of the repository itself.
      const { repoSeq } =
        isSame && known.current ? known.current : await queries.ensureQueryData(repository({ orgName, repoName }));
      const stream = client.repo.live(orgName, repoName, onChange, {
        onReady,
        onCut: () => setState('offline'),
        lastEventId: repoSeq,
        signal: left.signal,
      });
      await stream.closed;
    };
    const follow = () =>
      listen().catch((error: unknown) => {
        if (left.signal.aborted) return;
        over.current = name;
        // A server that does not answer says nothing of what was closed.
        setState((before) => (isHidden(error) || before === 'closed' ? 'closed' : 'ended'));
      });
    const onWait = () => {
      isLate = true;
      setState((before) => (isOver(before) ? before : 'waiting'));
      // Who comes back to it sees what there is, though nobody tells the page.
      if (wasHidden.current) reload();
    };
    const left = new AbortController();
    void inSeat({ signal: left.signal, onWait }, follow);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [orgName, repoName, reload, mark, isSeen, signIns, again]);
  return useMemo(() => ({ state, turn, changed, reload }), [state, turn, changed, reload]);
}

const isOver = (state: LiveState) => state === 'closed' || state === 'ended';

/** Of what was asked for at a sequence nothing changes, unless it was refused. Keys say which it is in their fifth place, if any. */
const AT_PLACE = 4;
const mayBeOld = ({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>) =>
  typeof queryKey[AT_PLACE] !== 'number' || state.status === 'error';
