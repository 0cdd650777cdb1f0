import { describe, expect, it } from 'vitest';
import {
  MARGIN_PX,
  type NamedNode,
  overlap,
  placeNames,
  placeOnEdge,
  type Rectangle,
  TakenRoom,
} from './label-place.ts';

const ROOM = { width: 400, height: 300 };
const place = (named: readonly NamedNode[]) => placeNames(named, { room: ROOM, height: 16 });
const at = (x: number, y: number, width = 90): NamedNode => ({ x, y, size: 8, width });

describe('names beside their nodes', () => {
  it('stand to the right, and elsewhere where there is no room', () => {
    const [alone, atTheEdge, inTheCorner] = place([at(100, 100), at(390, 200), at(10, 295)]);
    expect(alone).toMatchObject({ left: 111, top: 92 });
    expect(atTheEdge).toMatchObject({ left: 289, top: 192 });
    expect(inTheCorner).toMatchObject({ left: MARGIN_PX, top: 268 });
  });

  it('never cover each other, however dense the nodes are; what comes first is named', () => {
    const dense = Array.from({ length: 48 }, (_, index) =>
      at(50 + (index % 8) * 42, 30 + Math.floor(index / 8) * 46, index % 3 === 0 ? 44 : 130),
    );
    const places = place(dense);
    expect(places[0]).toBeDefined();
    const drawn = places.filter((one): one is Rectangle => one !== undefined);
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.length).toBeLessThan(dense.length);
    drawn.forEach((one, index) => {
      expect(drawn.slice(index + 1).filter((other) => overlap(one, other))).toEqual([]);
      expect(one.left >= MARGIN_PX && one.left + one.width <= ROOM.width - MARGIN_PX && one.top >= MARGIN_PX).toBe(
        true,
      );
    });
  });

  it('are not nearer to another node than to their own, so that it is plain whose they are', () => {
    const [name] = place([at(100, 100), at(212, 100, 0)]);
    expect(name).toMatchObject({ left: 55, top: 111 });
  });

  it('leave arrows to be seen that end at the node, and then lines that leave it', () => {
    const tied = (...ties: NonNullable<NamedNode['ties']>) => place([{ ...at(200, 100), ties }])[0];
    const tie = (x: number, y: number, isArrival: boolean) => ({ x, y, isArrival });
    expect(tied(tie(390, 100, true))).toMatchObject({ left: 99, top: 92 });
    expect(tied(tie(390, 100, true), tie(10, 100, false))).toMatchObject({ left: 155, top: 111 });
    const around = [tie(390, 100, false), tie(10, 100, true), tie(200, 290, true), tie(200, 10, true)];
    expect(tied(...around)).toMatchObject({ left: 211, top: 92 });
  });

  it('keep off other nodes, also those that are not named, unless they are needed', () => {
    const [first] = place([at(200, 100), at(240, 100, 0)]);
    expect(first).toMatchObject({ left: 99, top: 92 });
    const around = Array.from({ length: 40 }, (_, index) =>
      at(100 + (index % 8) * 25, 30 + Math.floor(index / 8) * 30, 0),
    );
    expect(place([at(200, 100), ...around])[0]).toBeUndefined();
    expect(place([{ ...at(200, 100), isNeeded: true }, ...around])[0]).toMatchObject({ left: 211, top: 92 });
  });

  it('are cut where there is no room for all of them', () => {
    const beside = [at(310, 100, 0), at(90, 100, 0), at(200, 140, 0), at(200, 60, 0)];
    const [name] = place([{ ...at(200, 100, 180), shortWidth: 50 }, ...beside]);
    expect(name).toMatchObject({ left: 211, top: 92, width: 50 });
  });

  it('are left out with nodes that are out of sight', () => {
    expect(place([at(-30, 100), at(100, 400)])).toEqual([undefined, undefined]);
  });

  it('are found by looking at what is near alone, so that thousands of nodes take as long as their number', () => {
    let looks = 0;
    const counted = (node: NamedNode): NamedNode => ({
      ...node,
      get x() {
        looks += 1;
        return node.x;
      },
    });
    const looksAmong = (rows: number) => {
      looks = 0;
      const nodes = Array.from({ length: rows * 100 }, (_, index) =>
        counted(at(10 + (index % 100) * 30, 10 + Math.floor(index / 100) * 30)),
      );
      placeNames(nodes, { room: { width: 3_000, height: rows * 30 + 20 }, height: 16 });
      return looks;
    };
    const [few, many] = [looksAmong(10), looksAmong(40)];
    expect(many).toBeLessThan(few * 5);
  });
});

describe('the names of edges', () => {
  const edge = (y: number) => ({ from: { x: 50, y, size: 8 }, to: { x: 350, y, size: 8 }, width: 60 });

  it('stand in the middle, or farther along where another is, and are left out where there is no room', () => {
    const taken = new TakenRoom(ROOM);
    const placed = Array.from({ length: 6 }, () => placeOnEdge(edge(100), { height: 15, taken }));
    expect(placed[0]).toEqual({ left: 170, top: 92.5, width: 60, height: 15 });
    const drawn = placed.filter((one) => one !== undefined);
    expect(drawn.length).toBeGreaterThan(2);
    expect(drawn.length).toBeLessThan(placed.length);
    drawn.forEach((one, index) => {
      expect(drawn.slice(index + 1).filter((other) => overlap(one, other))).toEqual([]);
    });
  });

  it('cover neither nodes nor their names', () => {
    const taken = new TakenRoom(ROOM);
    const [name] = placeNames([at(110, 100)], { room: ROOM, height: 16, taken });
    taken.addDisc({ x: 270, y: 100, size: 30 });
    const place = placeOnEdge(edge(100), { height: 15, taken });
    expect(place).toBeUndefined();
    expect(name).toBeDefined();
    expect(placeOnEdge(edge(140), { height: 15, taken })).toBeDefined();
  });
});
