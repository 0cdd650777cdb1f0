import { describe, expect, it } from 'vitest';
import { BOX, type Box, type Layout, type Line, layOut } from './shape-layout.ts';

const place = (lines: readonly Line[]) => {
  const layout = layOut(lines);
  return { ...layout, of: new Map(layout.boxes.map((box) => [box.name, box])) };
};

type Point = readonly [x: number, y: number];

function pointsOf(curve: string): Point[] {
  const points: Point[] = [];
  for (const [, command, text = ''] of curve.matchAll(/([MCL])([^MCL]+)/g)) {
    const numbers = text.trim().split(' ').map(Number);
    const [x1 = Number.NaN, y1 = Number.NaN, x2 = x1, y2 = y1, x3 = x1, y3 = y1] = numbers;
    const [x0, y0] = points.at(-1) ?? [x1, y1];
    const [bendX, bendY] = command === 'C' ? [x1, y1] : [x0, y0];
    for (let step = 0; step <= 100; step += 1) {
      const t = step / 100;
      const along = (a: number, b: number, c: number, d: number) =>
        (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
      points.push([along(x0, bendX, x2, x3), along(y0, bendY, y2, y3)]);
    }
  }
  return points;
}

const isBehind = ([x, y]: Point, box: Box): boolean =>
  x > box.x + 0.5 && x < box.x + BOX.width - 0.5 && y > box.y + 0.5 && y < box.y + BOX.height - 0.5;

const behindBoxes = ({ boxes, lines }: Layout): string[] =>
  lines.flatMap(({ from, to, curve }) => {
    const points = pointsOf(curve);
    expect(points.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
    return boxes
      .filter((box) => points.some((point) => isBehind(point, box)))
      .map(({ name }) => `${from} → ${to} runs behind ${name}`);
  });

describe('the diagram of shapes', () => {
  it('puts who refers left of what it refers to', () => {
    const { of } = place([
      { from: 'Location', to: 'Person' },
      { from: 'Route', to: 'Location' },
      { from: 'Route', to: 'Person' },
    ]);
    const x = (name: string) => of.get(name)?.x ?? Number.NaN;
    expect(x('Route')).toBeLessThan(x('Location'));
    expect(x('Location')).toBeLessThan(x('Person'));
  });

  it('draws a pair once, circles and a shape that refers to itself too; what is said about it besides', () => {
    const { boxes, lines } = place([
      { from: 'A', to: 'B' },
      { from: 'A', to: 'B' },
      { from: 'B', to: 'A' },
      { from: 'B', to: 'B' },
      { from: 'B', to: 'B', isAbout: true },
      { from: 'A', to: 'B', isAbout: true },
    ]);
    expect(boxes).toHaveLength(2);
    expect(lines.map(({ from, to, isAbout }) => `${from}${to}${isAbout ? ' about' : ''}`)).toEqual([
      'AB',
      'BA',
      'BB',
      'BB about',
      'AB about',
    ]);
    for (const { curve } of lines) expect(curve).toMatch(/^M[\d.-]+ [\d.-]+ C[\d. -]+$/);
    expect(new Set(lines.map(({ curve }) => curve.split(' C')[0])).size).toBe(lines.length);
  });

  it('lets no line run behind a shape, in the demo and wherever references lead', () => {
    const valley = [
      { from: 'Arc', to: '*' },
      { from: 'Person', to: 'Location' },
      { from: 'Person', to: 'Person' },
      { from: 'Walk', to: 'Person' },
      { from: 'Walk', to: 'Location' },
      { from: 'Opinion', to: 'Person' },
      { from: 'Opinion', to: 'Location', isAbout: true },
      { from: 'Opinion', to: 'Opinion', isAbout: true },
    ];
    expect(behindBoxes(layOut(valley))).toEqual([]);
    const long = ['AB', 'BC', 'CD', 'DE', 'AE', 'AD', 'BE', 'EA', 'DB', 'XC', 'XE', 'EX', 'CC'];
    const lines = long.map(([from = '', to = '']) => ({ from, to }));
    expect(behindBoxes(layOut([...lines, ...lines.map((line) => ({ ...line, isAbout: true }))]))).toEqual([]);
    for (const [count, shapesIn] of [
      [12, 8],
      [30, 15],
      [60, 40],
    ] as const) {
      const many = Array.from({ length: count }, (_, index) => ({
        from: `S${(index * 5) % shapesIn}`,
        to: `S${(index * 7 + 3) % shapesIn}`,
      }));
      expect(behindBoxes(layOut(many))).toEqual([]);
    }
  });

  it('lets no two shapes overlap, and keeps all of it within its size', () => {
    const lines = Array.from({ length: 60 }, (_, index) => ({ from: `S${index % 40}`, to: `S${(index * 7) % 40}` }));
    const { boxes, width, height, lines: drawn } = place(lines);
    const taken = new Set(boxes.map(({ x, y }) => `${x} ${y}`));
    expect(taken.size).toBe(boxes.length);
    for (const { x, y } of boxes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + BOX.width).toBeLessThanOrEqual(width);
      expect(y + BOX.height).toBeLessThanOrEqual(height);
    }
    for (const [x, y] of drawn.flatMap(({ curve }) => pointsOf(curve))) {
      expect(x >= 0 && x <= width && y >= 0 && y <= height).toBe(true);
    }
  });

  it('is empty where nothing refers to anything', () => {
    expect(layOut([])).toEqual({ boxes: [], lines: [], width: 0, height: 0 });
  });
});
