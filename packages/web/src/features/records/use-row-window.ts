// The part of a list that is on the screen: which rows are drawn, how much room is before and after them, and how to go to
// another row.
import { observeElementOffset, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { RecordRows } from './records.ts';
import { afterScroll, placeOfRow, rowsHigh, type ScrolledList, type WindowPlace } from './row-window.ts';

/** As records.css has them. */
export const ROW_PX = 33;
export const HEAD_PX = 34;
/** Rows that are drawn beyond the edge of the screen. */
const OVERSCAN = 8;
/** Rows that are asked for beyond what is drawn. */
const AHEAD = 40;
/** So often at most others are asked for while one scrolls. */
const ASK_MS = 100;

type Region = RefObject<HTMLElement | null>;
type Report = (offset: number, isScrolling: boolean) => void;

export interface RowWindow {
  /** The rows that are drawn, by their place in the list. */
  readonly indexes: readonly number[];
  readonly beforePx: number;
  readonly afterPx: number;
  /** The first and the last on the screen. */
  readonly first: number;
  readonly last: number;
  readonly goTo: (row: number) => void;
}

export function useRowWindow(region: Region, rows: RecordRows): RowWindow {
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

/** The window that moves over the rows of a list which is too high for a browser (row-window.ts). */
function useMovingWindow(region: Region, total: number) {
  const [base, setBase] = useState(0);
  const place = useRef<WindowPlace>({ base: 0, scrolled: 0 });
  /** Where it is to stand once the region has been scrolled to there. */
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
  // Made once, when the list is first drawn: it looks up what is so now.
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
    // Where it is scrolled to already, nothing will be heard of it.
    if (element.scrollTop === before) stand(to);
    else next.current = to;
  };
  return { base, observe, goTo };
}

/** Rows that are drawn are asked for, now and then while one scrolls. */
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

/** Another list begins where it was left, or at its beginning; the same list, read anew, stays where it is. */
function usePlaceOfList({ list, place }: RecordRows, goTo: (row: number) => void): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const isNew = shown.current !== list;
    const isFirst = shown.current === undefined;
    shown.current = list;
    if (isNew && !(isFirst && place === 0)) goTo(place);
  });
}
