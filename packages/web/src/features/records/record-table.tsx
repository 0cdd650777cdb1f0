import { useQuery } from '@tanstack/react-query';
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLive } from '../../app/live.tsx';
import { problemOf } from '../../app/problem.ts';
import { useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { NumberForm } from '../../ui/field.tsx';
import { useSettled } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { retractedAmong } from './found-records.ts';
import { RecordTableRow } from './record-table-row.tsx';
import { isNearAnEnd, type RecordRows } from './records.ts';
import { fittedColumns, type TableColumn, targetsOfRow } from './row.ts';
import { type RowWindow, useRowWindow } from './use-row-window.ts';

interface RecordTableProps {
  readonly rows: RecordRows;
  readonly isOld: boolean;
  readonly children: ReactNode;
  readonly onBehind: () => void;
}

export function RecordTable({ rows, isOld, children, onBehind }: RecordTableProps) {
  const region = useRef<HTMLElement>(null);
  const view = useRowWindow(region, rows);
  const columns = useFittedColumns(region, rows.head);
  const { source } = rows;
  useEffect(() => {
    if (rows.isBehind && isNearAnEnd(rows)) onBehind();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Home' && event.key !== 'End') return;
    // The browser would scroll to the end of the loaded rows only.
    event.preventDefault();
    view.goTo(event.key === 'Home' ? 0 : source.length - 1);
  };
  return (
    <>
      <RowBar rows={rows} view={view}>
        {children}
      </RowBar>
      <section
        className={isOld ? 'rows old' : 'rows'}
        aria-label="Records"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        ref={region}
        onKeyDown={onKeyDown}
      >
        <table aria-rowcount={source.total === undefined ? -1 : source.total + 1} aria-busy={isOld}>
          <Head columns={columns} />
          <Room px={view.beforePx} />
          <Body rows={rows} view={view} />
          <Room px={view.afterPx} />
        </table>
      </section>
    </>
  );
}

function Room({ px }: { px: number }) {
  if (px <= 0) return null;
  return (
    <tbody className="room" aria-hidden="true">
      <tr>
        <td style={{ height: `${px}px` }} />
      </tr>
    </tbody>
  );
}

const Head = ({ columns }: { columns: readonly TableColumn[] }) => (
  <>
    <colgroup>
      {columns.map(({ label, type, width }) => (
        <col key={`${label} ${type}`} style={{ '--digits': width } as CSSProperties} />
      ))}
    </colgroup>
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ label, type }, at) => (
          <th
            key={`${label} ${type}`}
            scope="col"
            className={at === 0 ? 'name' : undefined}
            title={type === undefined ? undefined : `${label}: ${type}`}
          >
            <Text>{label}</Text>
          </th>
        ))}
      </tr>
    </thead>
  </>
);

function Body({ rows, view }: { rows: RecordRows; view: RowWindow }) {
  const { changed } = useLive();
  const retracted = useRetractedTargets(rows, view.indexes);
  const { source, head, columns, hasAbout, hasWords } = rows;
  return (
    <tbody>
      {view.indexes.map((index) => {
        const row = source.rowAt(index);
        return (
          <RecordTableRow
            key={index}
            index={index}
            row={row}
            width={head.length}
            isOfAnyShape={columns === undefined}
            hasAbout={hasAbout}
            hasWords={hasWords}
            retracted={retracted}
            isChanged={row !== undefined && changed.has(row.name)}
          />
        );
      })}
    </tbody>
  );
}

function RowBar({ rows: { source }, view, children }: { rows: RecordRows; view: RowWindow; children: ReactNode }) {
  const { search, error, goesOnAt } = source;
  const { total } = source;
  const row = (index: number) => (index + 1).toLocaleString('en');
  const isLeft = view.last + 1 < source.length;
  return (
    <div className="row-bar">
      {children}
      <p className="quiet">
        Rows {row(view.first)} to {row(view.last)}
        {total !== undefined && ` of ${total.toLocaleString('en')}`}
        {isLeft && '. Scroll the table to see more'}
      </p>
      {search !== undefined && (
        <p className="quiet" role="status">
          Loading row {row(view.first)}…{' '}
          <progress aria-label="Progress" max={search.whole} value={search.whole - search.left} />
        </p>
      )}
      {goesOnAt !== undefined && <TooMany goesOnAt={goesOnAt} />}
      {error !== undefined && (
        <p className="problem" role="alert">
          These rows could not be loaded. {problemOf(error).advice}{' '}
          <SmallButton onClick={() => source.retry()}>Try again</SmallButton>
        </p>
      )}
      {total !== undefined && total > ROWS_AT_HAND && (
        <NumberForm className="go-to" label="Row" most={total} onGo={(number) => view.goTo(number - 1)} />
      )}
    </div>
  );
}

/** Shorter lists are scrolled. Until counted, row numbers are unknown. */
const ROWS_AT_HAND = 100;

/** Rows are checked in groups, so that short scrolls cause no request. */
const ROWS_TOGETHER = 50;

function useRetractedTargets({ source }: RecordRows, indexes: readonly number[]): ReadonlySet<string> {
  const sight = useSight();
  const first = Math.floor((indexes[0] ?? 0) / ROWS_TOGETHER) * ROWS_TOGETHER;
  const end = Math.ceil(((indexes.at(-1) ?? -1) + 1) / ROWS_TOGETHER) * ROWS_TOGETHER;
  const version = source.version();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are others when the version is.
  const shown = useMemo(() => {
    const rows = Array.from({ length: end - first }, (_, n) => source.rowAt(first + n));
    const targets = rows.flatMap((row) => (row === undefined ? [] : targetsOfRow(row)));
    return [...new Set(targets)].sort().join(' ');
  }, [source, version, first, end]);
  const settled = useSettled(shown);
  const { data } = useQuery(retractedAmong(sight, settled === '' ? [] : settled.split(' ')));
  return useMemo(() => new Set(data), [data]);
}

const SECOND_MS = 1_000;
const secondsTo = (at: number) => Math.max(1, Math.ceil((at - Date.now()) / SECOND_MS));

export function TooMany({ goesOnAt }: { goesOnAt: number }) {
  const [seconds, setSeconds] = useState(() => secondsTo(goesOnAt));
  useEffect(() => {
    setSeconds(secondsTo(goesOnAt));
    const timer = setInterval(() => setSeconds(secondsTo(goesOnAt)), SECOND_MS);
    return () => clearInterval(timer);
  }, [goesOnAt]);
  return (
    <p className="quiet" role="status">
      Too many requests. Loading continues in{' '}
      <span role="timer">
        {seconds.toLocaleString('en')} {seconds === 1 ? 'second' : 'seconds'}
      </span>
    </p>
  );
}

interface Room {
  readonly widthPx: number;
  readonly digitPx: number;
  readonly remPx: number;
}

/** As in records.css. */
const SIDES_REM = 1.75;

function useFittedColumns(
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
    digitPx: context?.measureText('0').width ?? Number.parseFloat(fontSize) * 0.6,
    remPx: Number.parseFloat(getComputedStyle(document.documentElement).fontSize),
  };
}
