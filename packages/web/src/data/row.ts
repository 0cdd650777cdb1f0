// One row of the table of records: of a record, only as much as its row shows, so that many pages of large records take little
// room.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { ListedRecord, RecordItem, Snippet } from '@cairn/sdk';
import type { DeclaredField } from './declared-field.ts';
import { targetHere } from './target.ts';

export interface Cell {
  readonly kind: 'text' | 'number' | 'wref' | 'none';
  readonly text: string;
  /** Of a reference to a record here: its durable ID. */
  readonly target?: string | undefined;
}

export interface RecordRow {
  readonly id: string;
  readonly name: string;
  readonly kind: RecordItem['kind'];
  readonly shapeName: string | undefined;
  readonly version: number;
  readonly isActive: boolean;
  readonly updatedAt: number;
  /** Of an assertion: what it is about; null where that is hidden. */
  readonly about: string | null | undefined;
  /** Its durable ID, where it is here. */
  readonly aboutTarget?: string | undefined;
  /** One for each column; without columns, the data in short alone. */
  readonly cells: readonly Cell[];
  /** Where the words of a search stand. */
  readonly snippet?: Snippet | undefined;
}

const CELL_CHARACTERS = 120;
const SUMMARY_CHARACTERS = 240;
const NONE: Cell = { kind: 'none', text: '' };

export function toRow(item: ListedRecord | RecordItem, columns: readonly DeclaredField[] | undefined): RecordRow {
  const { durableId, name, kind, shapeName, version, active, versionCreatedAt, aboutWref, aboutDurableId, data } = item;
  const refs = new Map(item.refs);
  return {
    id: durableId,
    name,
    kind,
    shapeName,
    version,
    isActive: active,
    updatedAt: versionCreatedAt,
    about: aboutWref,
    aboutTarget: targetHere(aboutWref, aboutDurableId),
    cells: columns?.map((column) => cellAt({ data, refs }, column)) ?? [
      { kind: 'text', text: shortOf(data, SUMMARY_CHARACTERS) },
    ],
    ...('snippet' in item && { snippet: item.snippet }),
  };
}

/** What the row refers to here, as far as it shows it; by durable ID. */
export const targetsOfRow = ({ aboutTarget, cells }: RecordRow): string[] =>
  [aboutTarget, ...cells.map(({ target }) => target)].filter((target) => target !== undefined);

interface ReferringData {
  readonly data: unknown;
  /** By JSON pointer. */
  readonly refs: ReadonlyMap<string, string>;
}

function cellAt({ data, refs }: ReferringData, { steps, type }: DeclaredField): Cell {
  const value = steps.reduce<unknown>(within, data);
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (type === 'wref' && typeof value === 'string') {
    return { kind: 'wref', text: value, target: targetHere(value, refs.get(steps.reduce<string>(pointerTo, ''))) };
  }
  return {
    kind: 'text',
    text: typeof value === 'string' ? cut(value, CELL_CHARACTERS) : shortOf(value, CELL_CHARACTERS),
  };
}

const within = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Record<string, unknown>)[step]
    : undefined;

const MORE = '…';

/** Not through the middle of a character that takes two places. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}${MORE}`;
}

/** A value in a line: like JSON, without the quotes around names and texts. Of what is large only the beginning is looked at. */
export function shortOf(value: unknown, most: number): string {
  const pieces = new Pieces(most);
  write(value, pieces, true);
  return cut(pieces.text, most);
}

class Pieces {
  text = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.text.length > this.#most;
  }

  add(piece: string): void {
    this.text += piece.length > this.#most ? piece.slice(0, this.#most + 1) : piece;
  }
}

function write(value: unknown, into: Pieces, isOutermost = false): void {
  if (typeof value !== 'object' || value === null) into.add(String(value));
  else if (Array.isArray(value))
    writeEach(value, into, { open: '[', close: ']', isOutermost, item: (item) => write(item, into) });
  else {
    const item = ([name, member]: [string, unknown]) => {
      into.add(`${name}: `);
      write(member, into);
    };
    writeEach(Object.entries(value), into, { open: '{ ', close: ' }', isOutermost, item });
  }
}

interface Listed<Item> {
  readonly open: string;
  readonly close: string;
  /** It needs nothing around it. */
  readonly isOutermost: boolean;
  readonly item: (item: Item) => void;
}

function writeEach<Item>(items: readonly Item[], into: Pieces, { open, close, isOutermost, item }: Listed<Item>): void {
  if (!isOutermost) into.add(open);
  for (const [index, one] of items.entries()) {
    if (into.isFull) return;
    if (index > 0) into.add(', ');
    item(one);
  }
  if (!isOutermost) into.add(close);
}
