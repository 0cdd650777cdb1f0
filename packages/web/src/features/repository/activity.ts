// Samples the history of a repository for its plot. Short histories are read whole.

import { timeText } from '@cairn/model/time-text';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import type { RepositoryDescription } from '@cairn/sdk';
import type { TextName } from '../../app/queries.ts';

export interface Growth {
  readonly repoSeq: number;
  readonly at: number;
}

export const WHOLE_COMMITS = 500;
export const SAMPLES = 40;

/** Evenly spaced sequences that stay stable while the repository grows, so that cached commits are reused. */
export function sampleSequences({ first, last, most }: { first: number; last: number; most: number }): number[] {
  if (last <= first) return [last];
  const step = roundStep((last - first) / Math.max(1, most - 2));
  const between: number[] = [];
  for (let next = Math.floor(first / step) * step + step; next < last; next += step) between.push(next);
  return [first, ...between, last];
}

function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 1;
}

/** Time never runs backwards: clocks change, and copies have two. */
export function growthOf(commits: readonly { readonly repoSeq: number; readonly createdAt: number }[]): Growth[] {
  const bySequence = new Map(commits.map(({ repoSeq, createdAt }) => [repoSeq, createdAt]));
  let latest = Number.NEGATIVE_INFINITY;
  return [...bySequence]
    .sort(([one], [other]) => one - other)
    .map(([repoSeq, createdAt]) => {
      latest = Math.max(latest, createdAt);
      return { repoSeq, at: latest };
    });
}

export function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const places = Array.from({ length: most }, (_, place) => Math.round((place * (items.length - 1)) / (most - 1)));
  return places.flatMap((place) => items[place] ?? []);
}

interface PlotPoint {
  readonly x: number;
  readonly y: number;
}

const REACH_PX = 16;

/** The nearest point, since simultaneous commits stack; else the last one before. */
export function pointedPlace(places: readonly PlotPoint[], { x, y }: PlotPoint): number {
  const distances = places.map((place) => Math.hypot(place.x - x, place.y - y));
  const nearest = distances.reduce((found, distance, at) => (distance < (distances[found] ?? 0) ? at : found), 0);
  if ((distances[nearest] ?? 0) <= REACH_PX) return nearest;
  return Math.max(
    0,
    places.findLastIndex((place) => place.x <= x),
  );
}

// Time labels are as exact as the span needs. Within a minute, seconds since the first commit are shown.

const SECOND_MS = 1_000;
const SHORT_MS = 60 * SECOND_MS;
const EXACT_MS = 10 * 60 * SECOND_MS;

export interface TimeScale {
  readonly since?: number;
  readonly momentText: (at: number) => string;
  readonly exactText: (at: number) => string;
  readonly distanceText: (ms: number) => string;
}

export function timeScaleOf(points: readonly Growth[]): TimeScale {
  const [first, last] = [points.at(0)?.at ?? 0, points.at(-1)?.at ?? 0];
  const span = last - first;
  const isShort = span < SHORT_MS;
  const momentText = (at: number) => timeText(at, span < EXACT_MS ? 'second' : 'minute');
  const distanceText = (ms: number) => `${(ms / SECOND_MS).toLocaleString('en')} s`;
  return {
    ...(isShort && { since: first }),
    momentText,
    exactText: (at) => (isShort && at > first ? `${distanceText(at - first)} after the first` : momentText(at)),
    distanceText,
  };
}

// Counts include built-in shapes and texts, which the overview points out.

const TEXTS: Readonly<Record<TextName, string>> = { readme: 'the readme', agents: 'the instructions for agents' };

type DescribedContents = Pick<RepositoryDescription, 'shapes' | 'contents'>;

export function broughtAlong({ shapes, contents }: DescribedContents): {
  readonly thing: string;
  readonly shape: string;
} {
  const builtIn = shapes.map(({ name }) => name).filter((name) => Object.hasOwn(BUILT_IN_SHAPES, name));
  return {
    thing: amongThem(contents.map((name) => TEXTS[name])),
    shape: builtIn.length === 0 ? '' : `Including ${builtIn.length} built-in: ${LIST.format(builtIn)}.`,
  };
}

const LIST = new Intl.ListFormat('en');

const amongThem = (names: readonly string[]): string => (names.length === 0 ? '' : `Including ${LIST.format(names)}.`);
