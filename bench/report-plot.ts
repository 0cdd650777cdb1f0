// Plots of the curves: one per work with a line per engine, as SVG without scripts or fonts.
import type { CurveResult } from './results.ts';

export interface Plot {
  readonly name: string;
  readonly unit: string;
  readonly file: string;
  readonly curves: readonly CurveResult[];
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 75;
const RIGHT = 590;
const TOP = 60;
const BOTTOM = 270;
const STEPS_MAX = 7;
/** Each line has its own markers, so that it is recognizable without its color. */
const LINES = {
  sqlite: { name: 'SQLite', color: '#0b6e4f', mark: (x: number, y: number) => `<circle cx="${x}" cy="${y}" r="3.5"` },
  postgres: {
    name: 'PostgreSQL',
    color: '#b3541e',
    mark: (x: number, y: number) => `<rect x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"`,
  },
} as const satisfies Record<CurveResult['engine'], object>;

export function plotsOf(curves: readonly CurveResult[]): Plot[] {
  const names = [...new Set(curves.map(({ name }) => name))];
  return names.map((name) => {
    const of = curves.filter((curve) => curve.name === name);
    return { name, unit: of[0]?.unit ?? '', file: `${name.replaceAll(' ', '-')}.svg`, curves: of };
  });
}

/** Records use a logarithmic axis. Values start at zero. */
export function plotOf({ name, unit, curves }: Plot): string {
  const points = curves.flatMap((curve) => curve.points);
  const [first, last] = [Math.min, Math.max].map((end) => end(...points.map(({ records }) => Math.log10(records))));
  const step = niceStep(Math.max(...points.map(({ median }) => median)) / STEPS_MAX);
  const steps = Math.ceil(Math.max(...points.map(({ median }) => median)) / step);
  const span = (last ?? 0) - (first ?? 0) || 1;
  const x = (records: number) => rounded(LEFT + ((Math.log10(records) - (first ?? 0)) / span) * (RIGHT - LEFT));
  const y = (value: number) => rounded(BOTTOM - (value / (steps * step)) * (BOTTOM - TOP));
  const values = Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
  const sizes = [...new Set(points.map(({ records }) => records))];
  const title = `${name}, ${unit}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${name} at each size, ${unit}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="10" y="26" font-size="15" font-weight="bold" fill="#333333">${title}</text>`,
    ...values.map((value) => `<path d="M${LEFT} ${y(value)}H${RIGHT}" stroke="#dbdee4"/>`),
    ...values.map((value) => label({ x: LEFT - 8, y: y(value) + 4, anchor: 'end', text: grouped(value) })),
    ...sizes.map((records) => `<path d="M${x(records)} ${TOP}V${BOTTOM}" stroke="#dbdee4"/>`),
    ...sizes.map((records) => label({ x: x(records), y: BOTTOM + 18, anchor: 'middle', text: grouped(records) })),
    label({ x: (LEFT + RIGHT) / 2, y: BOTTOM + 38, anchor: 'middle', text: 'records' }),
    ...curves.flatMap(({ engine, points: of }, index) => {
      const { name: lineName, color, mark } = LINES[engine];
      const line = of.map(({ records, median }) => `${x(records)},${y(median)}`).join(' ');
      const legend = WIDTH - 200 + index * 90;
      return [
        `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...of.map(({ records, median }) => `${mark(x(records), y(median))} fill="${color}"/>`),
        `${mark(legend, 20)} fill="${color}"/>`,
        label({ x: legend + 8, y: 24, anchor: 'start', text: lineName }),
      ];
    }),
    '</svg>\n',
  ].join('\n');
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 2.5, 5].find((factor) => factor * power >= least) ?? 10);
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'middle' | 'end';
  readonly text: string;
}

const label = ({ x, y, anchor, text }: Label) =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#54555a">${text}</text>`;

const rounded = (value: number) => Math.round(value * 10) / 10;
const grouped = (value: number) => value.toLocaleString('en-US');
