// One row of the table of records: of a record, only as much as its row shows, so that many pages of large records take little
// room.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { ListedRecord, RecordItem, Snippet } from '@cairn/sdk';
import { targetHere } from '../record/target.ts';
import type { DeclaredField } from '../shape/declared-field.ts';

export interface Reference {
  readonly wref: string;
  /** Its durable ID, where the record is here. */
  readonly target: string | undefined;
}

export interface Cell {
  readonly kind: 'text' | 'number' | 'wref' | 'empty' | 'none';
  readonly text: string;
  /** One, or those that a list begins with. */
  readonly references?: readonly Reference[];
  /** Whether the list goes on. */
  readonly isCut?: boolean;
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
  [aboutTarget, ...cells.flatMap(({ references = [] }) => references.map(({ target }) => target))].filter(
    (target) => target !== undefined,
  );

interface ReferringData {
  readonly data: unknown;
  /** By JSON pointer. */
  readonly refs: ReadonlyMap<string, string>;
}

function cellAt({ data, refs }: ReferringData, { steps, type }: DeclaredField): Cell {
  const value = steps.reduce<unknown>(within, data);
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'number') return { kind: 'number', text: String(value) };
  if (value === '') return { kind: 'empty', text: 'empty text' };
  const pointer = steps.reduce<string>(pointerTo, '');
  if (type === 'wref' && typeof value === 'string') {
    return { kind: 'wref', text: value, references: [{ wref: value, target: targetHere(value, refs.get(pointer)) }] };
  }
  const listed = Array.isArray(value)
    ? referencesIn(value, (index) => refs.get(pointerTo(pointer, String(index))))
    : [];
  if (listed.length > 0) {
    const text = listed.map(({ wref }) => wref).join(', ');
    return { kind: 'wref', text, references: listed, isCut: listed.length < (value as unknown[]).length };
  }
  return {
    kind: 'text',
    text: typeof value === 'string' ? cut(value, CELL_CHARACTERS) : shortOf(value, CELL_CHARACTERS),
  };
}

/** Of a list of nothing but references: as many as a cell has room for. */
function referencesIn(list: readonly unknown[], idAt: (index: number) => string | undefined): Reference[] {
  const found: Reference[] = [];
  let characters = 0;
  for (const [index, wref] of list.entries()) {
    const id = idAt(index);
    if (typeof wref !== 'string' || id === undefined) return [];
    characters += wref.length;
    if (found.length > 0 && characters > CELL_CHARACTERS) return found;
    found.push({ wref, target: targetHere(wref, id) });
  }
  return found;
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
