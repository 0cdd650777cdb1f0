import { describe, expect, it } from 'vitest';
import { BOX, layOut } from './shape-layout.ts';

const place = (lines: readonly { from: string; to: string }[]) => {
  const layout = layOut(lines);
  return { ...layout, of: new Map(layout.boxes.map((box) => [box.name, box])) };
};

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

  it('draws a pair once, circles and a shape that refers to itself too', () => {
    const { boxes, lines } = place([
      { from: 'A', to: 'B' },
      { from: 'A', to: 'B' },
      { from: 'B', to: 'A' },
      { from: 'B', to: 'B' },
    ]);
    expect(boxes).toHaveLength(2);
    expect(lines.map(({ from, to }) => `${from}${to}`)).toEqual(['AB', 'BA', 'BB']);
    for (const { curve } of lines) expect(curve).toMatch(/^M[\d.-]+ [\d.-]+ C[\d. -]+$/);
  });

  it('lets no two shapes overlap, and keeps all of them within its size', () => {
    const lines = Array.from({ length: 60 }, (_, index) => ({ from: `S${index % 40}`, to: `S${(index * 7) % 40}` }));
    const { boxes, width, height } = place(lines);
    const taken = new Set(boxes.map(({ x, y }) => `${x} ${y}`));
    expect(taken.size).toBe(boxes.length);
    for (const { x, y } of boxes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + BOX.width).toBeLessThanOrEqual(width);
      expect(y + BOX.height).toBeLessThanOrEqual(height);
    }
  });

  it('is empty where nothing refers to anything', () => {
    expect(layOut([])).toEqual({ boxes: [], lines: [], width: 0, height: 0 });
  });
});
