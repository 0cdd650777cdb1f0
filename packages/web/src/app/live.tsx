// What changes while it is looked at: what is on the screen is asked for again, and what changed is known for a while, so
// that it can be marked.
import type { LiveInvalidate, LiveReady } from '@cairn/protocol/stream';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { isHidden, useOnline } from './problem.ts';
import { repository, repositoryKey } from './queries.ts';
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

/** How long a change is marked. */
const MARKED_MS = 8_000;

/** What changed a moment ago, by its names. */
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

/** A page that is left for a moment is not taken for hidden. */
const HIDDEN_AFTER_MS = 5_000;

/** Whether somebody can see the page: not if another tab is before it. */
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

/** Rarely, since it may stay closed for good. */
const AGAIN_MS = 20_000;

/** Counts the times that it is worth to ask again for what was refused: now and then, and when somebody looks or goes on. */
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

// A browser keeps six connections to one server at most, for all its pages together, and a live stream holds one for as long as
// it is open. So no more than a few pages have one: more would leave none for what the others ask for.

/** Less than a browser's six, by what a page needs to load. */
const SEATS = 4;

interface Seated {
  /** Ends the wait; what is done in the seat ends by itself. */
  readonly signal: AbortSignal;
  /** Called where all seats are taken: it takes one when another page leaves it. */
  readonly onWait: () => void;
}

/** Does something in a seat, which is taken until it is done. */
async function inSeat({ signal, onWait }: Seated, work: () => Promise<void>): Promise<void> {
  const locks = locksOf(navigator);
  if (locks === undefined) return await work();
  for (let seat = 1; seat <= SEATS && !signal.aborted; seat += 1) {
    const isFree = await locks.request(nameOf(seat), { ifAvailable: true }, async (lock) => {
      if (lock !== null && !signal.aborted) await work();
      return lock !== null;
    });
    if (isFree) return;
  }
  if (signal.aborted) return;
  onWait();
  await firstOf(locks, signal, work);
}

/** Of all seats the first that is left; the others are not waited for any more. */
async function firstOf(locks: LockManager, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const found = new AbortController();
  const over = AbortSignal.any([signal, found.signal]);
  const waits = Array.from({ length: SEATS }, (_, at) =>
    locks.request(nameOf(at + 1), { signal: over }, async () => {
      // Two may be left at once.
      if (over.aborted) return;
      found.abort();
      await work();
    }),
  );
  await Promise.allSettled(waits);
}

const nameOf = (seat: number) => `cairn-live-${seat}`;

/** Pages that came over a network unencrypted have none. */
const locksOf = (browser: Navigator): LockManager | undefined => ('locks' in browser ? browser.locks : undefined);
