import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Growth, pointedPlace, type TimeScale } from './activity.ts';

interface ActivityPlotProps {
  readonly points: readonly Growth[];
  readonly scale: TimeScale;
  readonly label: string;
  readonly onPoint: (point: Growth | undefined) => void;
  readonly onChoose: (point: Growth) => void;
}

export function ActivityPlot({ points, scale, label, onPoint, onChoose }: ActivityPlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another theme it is drawn anew, since it takes its colours when it is made.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = draw({ element, points, scale, onPoint, onChoose });
    const observer = new ResizeObserver(() => plot.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, scale, onPoint, onChoose, theme]);
  return <div ref={place} className="plot" role="img" aria-label={label} />;
}

const HEIGHT = 180;
const sizeOf = (element: HTMLElement) => ({ width: Math.max(1, element.clientWidth), height: HEIGHT });

interface Drawing extends Pick<ActivityPlotProps, 'points' | 'scale' | 'onPoint' | 'onChoose'> {
  readonly element: HTMLElement;
}

function draw({ element, points, scale, onPoint, onChoose }: Drawing): uPlot {
  const colour = coloursOf(element);
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const pointed = ({ cursor: { idxs } }: uPlot) => points[idxs?.[1] ?? -1];
  const { since = 0, distanceText } = scale;
  const isCounted = scale.since !== undefined;
  const options: uPlot.Options = {
    ...sizeOf(element),
    ms: 1,
    legend: { show: false },
    cursor: {
      y: false,
      // Rounding at the edges would count as a drag and swallow the click.
      drag: { x: false, y: false, click: () => undefined },
      points: { fill: colour('--accent') },
      dataIdx: (plot) => pointedPlace(pointPlaces(plot), { x: plot.cursor.left ?? 0, y: plot.cursor.top ?? 0 }),
    },
    scales: { ...(isCounted && COUNTED), y: { range: (_, _least, most) => [0, Math.max(1, most)] } },
    series: [
      {},
      {
        stroke: colour('--accent'),
        width: 2,
        ...stepped(),
        points: { show: points.length <= MARKED_POINTS, fill: colour('--paper') },
      },
    ],
    axes: [
      {
        ...axis,
        space: 80,
        ...(isCounted ? { incrs: SHORT_TIMES, values: (_, ms) => ms.map(distanceText) } : { values: TIMES }),
      },
      { ...axis, size: 56, incrs: COUNTS },
    ],
    hooks: { setCursor: [(plot) => onPoint(pointed(plot))] },
  };
  const data: uPlot.AlignedData = [points.map(({ at }) => at - since), points.map(({ repoSeq }) => repoSeq)];
  const plot = new uPlot(options, data, element);
  plot.over.addEventListener('click', () => {
    const point = pointed(plot);
    if (point !== undefined) onChoose(point);
  });
  return plot;
}

const pointPlaces = ({ data: [times, counts], valToPos }: uPlot) =>
  Array.from(times, (time, index) => ({ x: valToPos(time, 'x'), y: valToPos(counts?.[index] ?? 0, 'y') }));

const MARKED_POINTS = 40;
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .flatMap((count) => [count, count * 1e3, count * 1e6])
  .sort((a, b) => a - b);

const SHORT_TIMES = COUNTS.filter((ms) => ms >= 10);
const SHORT_TIME_LEAST = 100;
const COUNTED: uPlot.Scales = { x: { time: false, range: (_, _least, most) => [0, Math.max(SHORT_TIME_LEAST, most)] } };

/**
 * uPlot's axis format: distance of marks, their text, and the additions for the first mark of a year, day and minute.
 */
const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const TIMES: (string | number | null)[][] = [
  [365 * DAY, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * DAY, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [DAY, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60 * SECOND, '{HH}:{mm}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
  [SECOND, '{HH}:{mm}:{ss}', '\n{D} {MMM} {YYYY}', null, '\n{D} {MMM}', null, null, null, 1],
];

const stepped = () => ({ ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }) });

function coloursOf(element: HTMLElement): (name: string) => string {
  const style = getComputedStyle(element);
  return (name) => style.getPropertyValue(name).trim();
}

function useTheme(): string {
  const [isDark, setDark] = useState(() => DARK.matches);
  useEffect(() => {
    const follow = () => setDark(DARK.matches);
    DARK.addEventListener('change', follow);
    return () => DARK.removeEventListener('change', follow);
  }, []);
  return isDark ? 'dark' : 'light';
}

const DARK = matchMedia('(prefers-color-scheme: dark)');
