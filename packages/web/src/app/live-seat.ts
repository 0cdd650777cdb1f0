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
export async function inSeat({ signal, onWait }: Seated, work: () => Promise<void>): Promise<void> {
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
