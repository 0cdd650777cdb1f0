import { describe, expect, it } from 'vitest';
import { type GiveBack, type SlotPlace, Slots } from './slots.job.ts';

const LIMITS = { perHost: 2, perHome: 3, inAll: 5 };
const signal = new AbortController().signal;
const at = (host: string, homeId: number): SlotPlace => ({ host, homeId });

function taken(slots: Slots, place: SlotPlace): GiveBack {
  const slot = slots.tryTake(place);
  if (slot === undefined) throw new Error('there is no room');
  return slot;
}

function waitFor(slots: Slots, place: SlotPlace, come: string[], name: string): Promise<GiveBack> {
  return slots.take(place, signal).then((giveBack) => {
    come.push(name);
    return giveBack;
  });
}

describe('slots', () => {
  it('are so many for a host, for a home and in all', () => {
    const slots = new Slots(LIMITS);
    taken(slots, at('a', 1));
    taken(slots, at('a', 2));
    expect(slots.tryTake(at('a', 3))).toBeUndefined();
    taken(slots, at('b', 1));
    taken(slots, at('c', 1));
    expect(slots.tryTake(at('d', 1))).toBeUndefined();
    taken(slots, at('d', 2));
    expect(slots.tryTake(at('e', 4))).toBeUndefined();
  });

  it('go to who waits longest and has room, and to all who have', async () => {
    const slots = new Slots(LIMITS);
    const come: string[] = [];
    const first = taken(slots, at('a', 1));
    taken(slots, at('a', 1));
    taken(slots, at('b', 1));
    const waiting = [
      waitFor(slots, at('b', 1), come, 'of the home'),
      waitFor(slots, at('a', 2), come, 'for the host'),
      waitFor(slots, at('a', 3), come, 'for the host, later'),
    ];
    expect(slots.waitingBeside(at('a', 9))).toBe(2);
    expect(slots.waitingBeside(at('x', 1))).toBe(1);
    first();
    const [ofHome, forHost] = await Promise.all(waiting.slice(0, 2));
    expect(come).toEqual(['of the home', 'for the host']);
    first();
    expect(slots.waitingBeside(at('a', 9))).toBe(1);
    forHost?.();
    await waiting[2];
    expect(come).toEqual(['of the home', 'for the host', 'for the host, later']);
    ofHome?.();
  });

  it('are not waited for behind one whose home has none left', () => {
    const slots = new Slots(LIMITS);
    for (const host of ['a', 'b', 'c']) taken(slots, at(host, 1));
    void slots.take(at('d', 1), signal);
    expect(slots.tryTake(at('d', 2))).toBeDefined();
  });

  it('are waited for until the signal', async () => {
    const slots = new Slots(LIMITS);
    for (const homeId of [1, 2]) taken(slots, at('a', homeId));
    const stop = new AbortController();
    const waiting = slots.take(at('a', 3), stop.signal);
    stop.abort(new Error('the server stops'));
    await expect(waiting).rejects.toThrow('the server stops');
    expect(slots.waitingBeside(at('a', 3))).toBe(0);
    await expect(slots.take(at('b', 3), stop.signal)).rejects.toThrow('the server stops');
  });
});
