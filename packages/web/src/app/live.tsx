// Follows a repository: refetches visible data after each change, and marks the change for a while.
import type { LiveInvalidate, LiveReady } from '@cairn/protocol/stream';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { isHidden, useOnline } from './problem.ts';
import { repository, repositoryKey } from './queries.ts';
import { client, useSession } from './session.ts';
import type { Sight } from './sight.ts';

/** `closed`: the viewer lost access. Both `closed` and `ended` are retried. */
export type LiveState = 'connecting' | 'waiting' | 'live' | 'offline' | 'closed' | 'ended';

interface Live {
  readonly state: LiveState;
  readonly turn: number;
  readonly changed: ReadonlySet<string>;
  readonly reload: () => void;
}

const STILL: Live = { state: 'ended', turn: 0, changed: new Set(), reload: () => {} };
const CLOSED: Live = { ...STILL, state: 'closed' };
const LiveContext = createContext<Live>(STILL);

export const useLive = (): Live => useContext(LiveContext);

export function useLiveState(): LiveState {
  const { state } = useLive();
  return useOnline() ? state : 'offline';
}

/** Changes are gathered for this long, so that a busy repository does not cause constant refetches. */
const GATHER_MS = 500;

export function LiveProvider({ sight, children }: { sight: Sight; children: ReactNode }) {
  const live = useFollowed(sight);
  const past = live.state === 'closed' ? CLOSED : STILL;
  return <LiveContext value={sight.at === undefined ? live : past}>{children}</LiveContext>;
}

function useFollowed({ orgName, repoName }: Sight): Live {
  const queries = useQueryClient();
  const isSeen = usePageSeen();
  const [state, setState] = useState<LiveState>('connecting');
  const [turn, setTurn] = useState(0);
  const { changed, mark } = useMarks();
  const reload = useCallback(() => {
    setTurn((before) => before + 1);
    const filters = { queryKey: repositoryKey({ orgName, repoName }), predicate: mayBeOld };
    // A restarted refetch would never end if it takes longer than the time to the next change.
    void queries.invalidateQueries(filters, { cancelRefetch: false });
  }, [orgName, repoName, queries]);
  const wasHidden = useRef(false);
  /** The sequence followed so far; changes of a hidden page are reported when it is shown again. */
  const known = useRef<{ orgName: string; repoName: string; repoSeq: number }>(undefined);
  const { turn: signIns } = useSession();
  const again = useAgain(isOver(state));
  const over = useRef('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in again follows again, and so is what was over.
  useEffect(() => {
    if (!isSeen) {
      wasHidden.current = true;
      return;
    }
    const name = `${orgName}/${repoName}`;
    const wasOver = over.current === name;
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
      // Cached data is as old as the cached repository.
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
        // A network error does not tell whether access was lost.
        setState((before) => (isHidden(error) || before === 'closed' ? 'closed' : 'ended'));
      });
    const onWait = () => {
      isLate = true;
      setState((before) => (isOver(before) ? before : 'waiting'));
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

/** Queries at a fixed sequence never change. The fifth part of a key is that sequence. */
const AT_PLACE = 4;
const mayBeOld = ({ queryKey, state }: Pick<Query, 'queryKey' | 'state'>) =>
  typeof queryKey[AT_PLACE] !== 'number' || state.status === 'error';

const MARKED_MS = 8_000;

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

const HIDDEN_AFTER_MS = 5_000;

function usePageSeen(): boolean {
  const [isSeen, setSeen] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setSeen(true);
      else timer = setTimeout(() => setSeen(false), HIDDEN_AFTER_MS);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return isSeen;
}

const AGAIN_MS = 20_000;

function useAgain(isOver: boolean): number {
  const router = useRouter();
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (!isOver) return;
    const again = () => {
      if (document.visibilityState === 'visible') setTimes((before) => before + 1);
    };
    const timer = setInterval(again, AGAIN_MS);
    const unsubscribe = router.subscribe('onResolved', again);
    document.addEventListener('visibilitychange', again);
    window.addEventListener('focus', again);
    return () => {
      clearInterval(timer);
      unsubscribe();
      document.removeEventListener('visibilitychange', again);
      window.removeEventListener('focus', again);
    };
  }, [isOver, router]);
  return times;
}

// Browsers allow six connections to a server across all tabs. Locks keep most of them free of live streams.

const SEATS = 4;

interface Seated {
  readonly signal: AbortSignal;
  readonly onWait: () => void;
}

async function inSeat({ signal, onWait }: Seated, work: () => Promise<void>): Promise<void> {
  const locks = locksOf(navigator);
  if (locks === undefined) return await work();
  for (let seat = 1; seat <= SEATS && !signal.aborted; seat += 1) {
    const isFree = await locks.request(lockName(seat), { ifAvailable: true }, async (lock) => {
      if (lock !== null && !signal.aborted) await work();
      return lock !== null;
    });
    if (isFree) return;
  }
  if (signal.aborted) return;
  onWait();
  await firstOf(locks, signal, work);
}

async function firstOf(locks: LockManager, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const found = new AbortController();
  const over = AbortSignal.any([signal, found.signal]);
  const waits = Array.from({ length: SEATS }, (_, at) =>
    locks.request(lockName(at + 1), { signal: over }, async () => {
      // Two seats may become free at once.
      if (over.aborted) return;
      found.abort();
      await work();
    }),
  );
  await Promise.allSettled(waits);
}

const lockName = (seat: number) => `cairn-live-${seat}`;

/** Insecure contexts have no locks. */
const locksOf = (browser: Navigator): LockManager | undefined => ('locks' in browser ? browser.locks : undefined);
