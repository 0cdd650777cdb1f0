// Formats items as a table for people: numbers right-aligned, limited to the width of a terminal.
import width from 'fast-string-truncated-width';
import { type Look, oneLine, PLAIN, shownValue } from './look.ts';

const UNCUT = ['scopes', 'allowed', 'withheld'];
const BETWEEN = '  ';
/** Narrower columns are unreadable. */
const COLUMN_MIN = 8;

export function table(items: readonly object[], columns: readonly string[], look: Look = PLAIN): string {
  const rows = items.map((item) => {
    const values = new Map<string, unknown>(Object.entries(item));
    return columns.map((name) => values.get(name));
  });
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
      .map((text, index) => aligned(text, { width: widths[index] ?? 0, right: isRight[index] ?? false }))
      .join(BETWEEN)
      .trimEnd();
  return [look.paint('heading', line(columns)), ...cells.map(line)].join('\n');
}

const widthOf = (text: string) => width(text).width;

function fitted(natural: readonly number[], columns: readonly string[], most: number | undefined): readonly number[] {
  if (most === undefined) return natural;
  const isWhole = (index: number) => UNCUT.includes(columns[index] ?? '');
  const cut = (limit: number) => natural.map((size, index) => (isWhole(index) ? size : Math.min(size, limit)));
  const total = (sizes: readonly number[]) =>
    sizes.reduce((sum, size) => sum + size, BETWEEN.length * (sizes.length - 1));
  let limit = Math.max(COLUMN_MIN, ...natural);
  while (limit > COLUMN_MIN && total(cut(limit)) > most) limit -= 1;
  return cut(limit);
}

/** Timestamps are shown as text, so they align left. */
function isNumeric(name: string, values: readonly unknown[]): boolean {
  const given = values.filter((value) => value !== undefined && value !== null);
  return given.length > 0 && given.every((value) => typeof value === 'number') && !/^at$|(At|Until)$/.test(name);
}

function aligned(text: string, { width: columns, right }: { width: number; right: boolean }): string {
  const kept = cut(text, columns);
  const space = ' '.repeat(Math.max(0, columns - widthOf(kept)));
  return right ? `${space}${kept}` : `${kept}${space}`;
}

/** Wide characters take two columns and are never split. */
export function cut(text: string, columns: number): string {
  const { index, truncated } = width(text, { limit: columns, ellipsis: '…' });
  return truncated ? `${text.slice(0, index)}…` : text;
}
