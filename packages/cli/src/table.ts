// Formats items as a table for people: numbers right-aligned, limited to the width of a terminal, without empty columns.
import width from 'fast-string-truncated-width';
import { isTime, type Look, oneLine, PLAIN, shownValue } from './look.ts';

/** A part of these is useless. So is a part of a time, which is only cut if nothing else helps. */
const UNCUT = ['scopes', 'allowed', 'withheld', 'runId', 'id'];
const BETWEEN = '  ';
/** Narrower columns are unreadable. */
const COLUMN_MIN = 8;
/** Without a terminal nothing is cut, but one long cell must not pad every other row. */
const PADDED_MAX = 60;

const isEmpty = (value: unknown) => value === undefined || value === null || value === '';

export function table(items: readonly object[], wanted: readonly string[], look: Look = PLAIN): string {
  const maps = items.map((item) => new Map<string, unknown>(Object.entries(item)));
  const columns = wanted.filter((name) => maps.some((values) => !isEmpty(values.get(name))));
  const rows = maps.map((values) => columns.map((name) => values.get(name)));
  const cells = rows.map((row) =>
    row.map((value, index) => oneLine(shownValue(columns[index] ?? '', value)).trimEnd()),
  );
  const natural = columns.map((name, index) =>
    Math.max(...[name, ...cells.map((row) => row[index] ?? '')].map(widthOf)),
  );
  const widths = fitted(natural, columns, look.columns);
  const isRight = columns.map((name, index) =>
    isNumeric(
      name,
      rows.map((row) => row[index]),
    ),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => (look.columns === undefined ? text : cut(text, widths[index] ?? 0)))
      .map((text, index) => aligned(text, { width: widths[index] ?? 0, right: isRight[index] ?? false }))
      .join(BETWEEN)
      .trimEnd();
  return [look.paint('heading', line(columns)), ...cells.map(line)].join('\n');
}

const widthOf = (text: string) => width(text).width;

function fitted(
  natural: readonly number[],
  columns: readonly string[],
  most: number | undefined,
  whole: readonly string[] = [...UNCUT, ...columns.filter(isTime)],
): readonly number[] {
  if (most === undefined) return natural.map((size) => Math.min(size, PADDED_MAX));
  const cut = (limit: number) =>
    natural.map((size, index) => (whole.includes(columns[index] ?? '') ? size : Math.min(size, limit)));
  const total = (sizes: readonly number[]) =>
    sizes.reduce((sum, size) => sum + size, BETWEEN.length * (sizes.length - 1));
  let limit = Math.max(COLUMN_MIN, ...natural);
  while (limit > COLUMN_MIN && total(cut(limit)) > most) limit -= 1;
  const fits = total(cut(limit)) <= most || whole === UNCUT;
  return fits ? cut(limit) : fitted(natural, columns, most, UNCUT);
}

/** Timestamps are shown as text, so they align left. */
function isNumeric(name: string, values: readonly unknown[]): boolean {
  const given = values.filter((value) => value !== undefined && value !== null);
  return given.length > 0 && given.every((value) => typeof value === 'number') && !isTime(name);
}

function aligned(text: string, { width: columns, right }: { width: number; right: boolean }): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return right ? `${space}${text}` : `${text}${space}`;
}

/** Wide characters take two columns and are never split. */
export function cut(text: string, columns: number): string {
  const { index, truncated } = width(text, { limit: columns, ellipsis: '…' });
  return truncated ? `${text.slice(0, index)}…` : text;
}
