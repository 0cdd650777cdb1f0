// Browsers cannot make an element as high as millions of rows are. Above a number of rows the list on the page is a window
// that moves over all rows: who scrolls a little moves within it, row by row; who jumps, by the scroll bar, goes to the row
// that lies there in proportion. Near both ends of the window are the ends of the list, exactly.

/** So many rows are as high as every browser can show. */
export const WINDOW_ROWS = 300_000;
/** So near an end of the window is the end of the list. */
const EDGE_ROWS = 5_000;
/** Who moves further at once, in screens, jumps. */
const JUMP_SCREENS = 4;

export interface ScrolledList {
  readonly total: number;
  /** How many rows there is room for on the screen. */
  readonly visible: number;
}

export interface WindowPlace {
  /** The row that the window begins with. */
  readonly base: number;
  /** How far the window is scrolled, in rows; it may be scrolled to within a row. */
  readonly scrolled: number;
}

/** How many rows high the list on the page is. */
export const rowsHigh = (total: number): number => Math.min(total, WINDOW_ROWS);

/** The row of the list that is the first on the screen. */
export const firstRow = ({ base, scrolled }: WindowPlace): number => base + Math.floor(scrolled);

/** Where the window stands after it was scrolled; when `scrolled` is another than was given, it must be scrolled to there. */
export function afterScroll(before: WindowPlace, scrolled: number, list: ScrolledList): WindowPlace {
  const most = list.total - rowsHigh(list.total);
  if (most === 0) return { base: 0, scrolled };
  if (Math.abs(scrolled - before.scrolled) > JUMP_SCREENS * list.visible)
    return { base: baseAt(scrolled, list), scrolled };
  return moved({ base: Math.min(before.base, most), scrolled }, list);
}

/** Where a row is the first on the screen, or as near to that as the end of the list lets it. */
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

/** In proportion, between the two ends. */
function baseAt(scrolled: number, { total, visible }: ScrolledList): number {
  const most = total - WINDOW_ROWS;
  const part = (scrolled - EDGE_ROWS) / (WINDOW_ROWS - visible - 2 * EDGE_ROWS);
  return Math.round(Math.max(0, Math.min(1, part)) * most);
}

/** Who comes to an end of the window where the list has more rows goes on in a window that is moved, at the same row. */
function moved({ base, scrolled }: WindowPlace, { total, visible }: ScrolledList): WindowPlace {
  const most = total - WINDOW_ROWS;
  const half = WINDOW_ROWS / 2;
  const isAtStart = scrolled < EDGE_ROWS && base > 0;
  const isAtEnd = scrolled > WINDOW_ROWS - visible - EDGE_ROWS && base < most;
  const next = isAtStart ? Math.max(0, base - half) : isAtEnd ? Math.min(most, base + half) : base;
  return { base: next, scrolled: scrolled + base - next };
}
