// The visible part of a list: rows, the room around them, and scrolling to a row.
import { observeElementOffset, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { RecordRows } from './records.ts';

/** As in records.css. */
const ROW_PX = 33;
const HEAD_PX = 34;
const OVERSCAN = 8;
const AHEAD = 40;
const ASK_MS = 100;
type Region = RefObject<HTMLElement | null>;
type Report = (offset: number, isScrolling: boolean) => void;

export type RowWindow = ReturnType<typeof useRowWindow>;

export function useRowWindow(region: Region, rows: RecordRows) {
  const { length } = rows.source;
  const moving = useMovingWindow(region, length);
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    count: rowsHigh(length),
    getScrollElement: () => region.current,
    estimateSize: () => ROW_PX,
    scrollMargin: HEAD_PX,
    overscan: OVERSCAN,
    observeElementOffset: moving.observe,
  });
  const items = virtualizer.getVirtualItems();
  const [start, end] = [(items[0]?.start ?? HEAD_PX) - HEAD_PX, (items.at(-1)?.end ?? HEAD_PX) - HEAD_PX];
  const indexes = items.map(({ index }) => moving.base + index).filter((index) => index < length);
  useWantedRows(rows, indexes);
  usePlaceOfList(rows, moving.goTo);
  const offset = virtualizer.scrollOffset ?? 0;
  const below = offset + (virtualizer.scrollRect?.height ?? 0) - HEAD_PX;
  const first = moving.base + Math.floor(offset / ROW_PX);
  return {
    indexes,
    beforePx: start,
    afterPx: virtualizer.getTotalSize() - end,
    first,
    last: Math.max(first, Math.min(length, moving.base + Math.floor(below / ROW_PX)) - 1),
    goTo: moving.goTo,
  };
}

function useMovingWindow(region: Region, total: number) {
  const [base, setBase] = useState(0);
  const place = useRef<WindowPlace>({ base: 0, scrolled: 0 });
  const next = useRef<WindowPlace>(undefined);
  const latest = useRef(total);
  latest.current = total;
  const listNow = (): ScrolledList => {
    const high = (region.current?.clientHeight ?? 0) - HEAD_PX;
    return { total: latest.current, visible: Math.max(1, high / ROW_PX) };
  };
  const stand = (at: WindowPlace) => {
    place.current = at;
    setBase(at.base);
  };
  // Created once, so it reads refs.
  const observe = (instance: Virtualizer<HTMLElement, Element>, report: Report) =>
    observeElementOffset(instance, (offset, isScrolling) => {
      const scrolled = offset / ROW_PX;
      const told = next.current;
      next.current = undefined;
      const at = told === undefined ? afterScroll(place.current, scrolled, listNow()) : { base: told.base, scrolled };
      stand(at);
      if (at.scrolled !== scrolled && region.current !== null) region.current.scrollTop = at.scrolled * ROW_PX;
      report(at.scrolled * ROW_PX, isScrolling);
    });
  const goTo = (row: number) => {
    const element = region.current;
    if (element === null) return;
    const to = placeOfRow(row, listNow());
    const before = element.scrollTop;
    element.scrollTop = to.scrolled * ROW_PX;
    // No scroll event follows if the position is the same.
    if (element.scrollTop === before) stand(to);
    else next.current = to;
  };
  return { base, observe, goTo };
}

function useWantedRows(rows: RecordRows, indexes: readonly number[]): void {
  const [first, last] = [indexes[0], indexes.at(-1)];
  const asked = useRef(0);
  useEffect(() => {
    if (first === undefined || last === undefined) return;
    const ask = () => {
      asked.current = performance.now();
      rows.place = first === 0 ? 0 : first + OVERSCAN;
      rows.source.want({ first, last: last + AHEAD });
    };
    const timer = setTimeout(ask, Math.max(0, asked.current + ASK_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [rows, first, last]);
  useEffect(() => () => rows.source.want(undefined), [rows]);
}

function usePlaceOfList({ list, place }: RecordRows, goTo: (row: number) => void): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const isNew = shown.current !== list;
    const isFirst = shown.current === undefined;
    shown.current = list;
    if (isNew && !(isFirst && place === 0)) goTo(place);
  });
}

// Browsers limit the height of elements. Longer lists use a window that moves: small scrolls move within it, jumps go
// to the proportional row, and the ends are exact.

export const WINDOW_ROWS = 300_000;
const EDGE_ROWS = 5_000;
const JUMP_SCREENS = 4;

interface ScrolledList {
  readonly total: number;
  readonly visible: number;
}

export interface WindowPlace {
  readonly base: number;
  /** In rows, with a fraction. */
  readonly scrolled: number;
}

export const rowsHigh = (total: number): number => Math.min(total, WINDOW_ROWS);
export const firstRow = ({ base, scrolled }: WindowPlace): number => base + Math.floor(scrolled);

export function afterScroll(before: WindowPlace, scrolled: number, list: ScrolledList): WindowPlace {
  const most = list.total - rowsHigh(list.total);
  if (most === 0) return { base: 0, scrolled };
  if (Math.abs(scrolled - before.scrolled) > JUMP_SCREENS * list.visible)
    return { base: baseAt(scrolled, list), scrolled };
  return moved({ base: Math.min(before.base, most), scrolled }, list);
}

export function placeOfRow(row: number, list: ScrolledList): WindowPlace {
  const { total, visible } = list;
  const first = Math.max(0, Math.min(row, total - visible));
  const [high, most] = [rowsHigh(total), total - rowsHigh(total)];
  if (first <= EDGE_ROWS || most === 0) return { base: 0, scrolled: first };
  if (first >= total - visible - EDGE_ROWS) return { base: most, scrolled: first - most };
  const part = (first - EDGE_ROWS) / (total - visible - 2 * EDGE_ROWS);
  const base = Math.round(first - EDGE_ROWS - part * (high - visible - 2 * EDGE_ROWS));
  return { base, scrolled: first - base };
}

function baseAt(scrolled: number, { total, visible }: ScrolledList): number {
  const most = total - WINDOW_ROWS;
  const part = (scrolled - EDGE_ROWS) / (WINDOW_ROWS - visible - 2 * EDGE_ROWS);
  return Math.round(Math.max(0, Math.min(1, part)) * most);
}

function moved({ base, scrolled }: WindowPlace, { total, visible }: ScrolledList): WindowPlace {
  const most = total - WINDOW_ROWS;
  const half = WINDOW_ROWS / 2;
  const isAtStart = scrolled < EDGE_ROWS && base > 0;
  const isAtEnd = scrolled > WINDOW_ROWS - visible - EDGE_ROWS && base < most;
  const next = isAtStart ? Math.max(0, base - half) : isAtEnd ? Math.min(most, base + half) : base;
  return { base: next, scrolled: scrolled + base - next };
}
