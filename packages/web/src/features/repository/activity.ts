// How a repository grew: which commits are looked at for that, and what is made of them. A small history is read whole; of a
// large one some commits stand for all.

import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';
import { timeText } from '@cairn/protocol/time-text';
import type { RepositoryDescription } from '@cairn/sdk';
import type { TextName } from '../../app/queries.ts';

/** When the repository stood where. */
export interface Growth {
  readonly repoSeq: number;
  readonly at: number;
}

/** As far as this the log is read whole. */
export const WHOLE_COMMITS = 500;
export const SAMPLES = 40;

/**
 * Sequences from the first to the last, about evenly spaced and at most so many. All but the last stay the same while the
 * repository grows a little, so that what is known of them need not be asked for again.
 */
export function sampleSequences({ first, last, most }: { first: number; last: number; most: number }): number[] {
  if (last <= first) return [last];
  const step = roundStep((last - first) / Math.max(1, most - 2));
  const between: number[] = [];
  for (let next = Math.floor(first / step) * step + step; next < last; next += step) between.push(next);
  return [first, ...between, last];
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 1;
}

/** In order, each sequence once, and time never running backwards: clocks are set, and copies have two. */
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

/** So many of the items, evenly spread, with the first and the last. */
export function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const places = Array.from({ length: most }, (_, place) => Math.round((place * (items.length - 1)) / (most - 1)));
  return places.flatMap((place) => items[place] ?? []);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** So near to a place it is the one that is meant. */
const REACH_PX = 16;

/**
 * Which of the places, from left to right, is pointed at: the nearest where one is near, since commits of the same moment stand
 * above each other; else the one that still holds at that time.
 */
export function pointedPlace(places: readonly Place[], { x, y }: Place): number {
  const distances = places.map((place) => Math.hypot(place.x - x, place.y - y));
  const nearest = distances.reduce((found, distance, at) => (distance < (distances[found] ?? 0) ? at : found), 0);
  if ((distances[nearest] ?? 0) <= REACH_PX) return nearest;
  return Math.max(
    0,
    places.findLastIndex((place) => place.x <= x),
  );
}

// How the times of a history are written: the shorter it is, the more exactly. Where all of it lies within a minute, the plot
// counts seconds from its first commit: a clock says little then.

const SECOND_MS = 1_000;
const SHORT_MS = 60 * SECOND_MS;
const EXACT_MS = 10 * 60 * SECOND_MS;

export interface TimeScale {
  /** Where all lies within a minute: the time that the plot counts from. */
  readonly since?: number;
  /** A moment by the clock. */
  readonly momentText: (at: number) => string;
  /** A moment, as exactly as it takes to tell it from the others. */
  readonly exactText: (at: number) => string;
  /** So long after the first commit. */
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

// What of the counts of a repository nobody put there: its texts are records of a shape of their own.

const TEXTS: Readonly<Record<TextName, string>> = { readme: 'the readme', agents: 'the text for agents' };

type Described = Pick<RepositoryDescription, 'shapes' | 'contents'>;

/** In words, by kind; empty where all are somebody's own. */
export function broughtAlong({ shapes, contents }: Described): { readonly thing: string; readonly shape: string } {
  const builtIn = shapes.map(({ name }) => name).filter((name) => Object.hasOwn(BUILT_IN_SHAPES, name));
  return {
    thing: amongThem(contents.map((name) => TEXTS[name])),
    shape: builtIn.length === 0 ? '' : `${amongThem(builtIn).slice(0, -1)}, which Cairn brings along.`,
  };
}

const LIST = new Intl.ListFormat('en');

const amongThem = (names: readonly string[]): string =>
  names.length === 0 ? '' : `${names.length} of them: ${LIST.format(names)}.`;
