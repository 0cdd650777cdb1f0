import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { fittedColumns, type TableColumn } from './row.ts';

interface Room {
  readonly widthPx: number;
  readonly digitPx: number;
  readonly remPx: number;
}

/** As in records.css. */
const SIDES_REM = 1.75;

export function useFittedColumns(
  region: RefObject<HTMLElement | null>,
  columns: readonly TableColumn[],
): readonly TableColumn[] {
  const [room, setRoom] = useState<Room>();
  useLayoutEffect(() => {
    const box = region.current;
    if (box === null) return;
    const measure = () => setRoom(roomOf(box));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [region]);
  return useMemo(() => {
    if (room === undefined) return columns;
    const left = room.widthPx - columns.length * SIDES_REM * room.remPx;
    return fittedColumns(columns, left / room.digitPx);
  }, [room, columns]);
}

function roomOf(box: HTMLElement): Room {
  const { fontSize, fontFamily } = getComputedStyle(box.querySelector('table') ?? box);
  const context = document.createElement('canvas').getContext('2d');
  if (context !== null) context.font = `${fontSize} ${fontFamily}`;
  return {
    widthPx: box.clientWidth,
    // An estimate where nothing can be measured.
    digitPx: context?.measureText('0').width ?? Number.parseFloat(fontSize) * 0.6,
    remPx: Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  };
}
