// Lines on their way to the writer thread, as text and numbers. Passing objects would cost as much as parsing.

import { type Operation, parseOperation } from '@cairn/model/operation';
import { formatRecordName, type RecordName, type RepositoryPlace } from '@cairn/model/wref';
import type { WrittenData, WrittenWref } from '@cairn/model/written-data';
import { type CairnError, type ErrorFields, fail } from '@cairn/protocol/errors';

interface Definition {
  readonly shapeName: string;
  readonly dataHash: Uint8Array;
  readonly keyPaths: readonly string[];
}

export interface PackedLines {
  readonly lineCount: number;
  readonly unreadable: ErrorFields | undefined;
  readonly referred: readonly RepositoryPlace[];
  readonly definitions: readonly Definition[];
  readonly refusals: readonly ErrorFields[];
  readonly operationCount: number;
  readonly text: string;
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const [SENT, REFUSED, CHECKED] = [0, 1, 2];
const HASH_BYTES = 32;

export type PackedOperation = { readonly line: number } & (
  | { readonly sent: unknown; readonly refusal?: CairnError }
  | { readonly shapeName: string; readonly local: string; readonly written: WrittenData }
);

export class LinePacker {
  readonly #numbers: number[] = [];
  readonly #texts: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #definitions: Definition[] = [];
  readonly #refusals: ErrorFields[] = [];
  #operationCount = 0;

  addSent(line: number, text: string, refusal?: CairnError): void {
    this.#operationCount += 1;
    this.#numbers.push(line, refusal === undefined ? SENT : REFUSED);
    this.#text(text);
    if (refusal !== undefined) this.#refusals.push(refusal.fields);
  }

  addChecked(line: number, { shapeName, local }: RecordName, written: WrittenData): void {
    const { definition, keyPaths, pieces, wrefs, order, hash, keys } = written;
    this.#operationCount += 1;
    const at = this.#definition({ shapeName, dataHash: definition, keyPaths });
    this.#numbers.push(line, CHECKED, at, wrefs.length);
    this.#text(local);
    for (const piece of pieces) this.#text(piece);
    for (const { place, text } of wrefs) {
      this.#numbers.push(place);
      this.#text(text);
    }
    for (const wref of order) this.#numbers.push(wref);
    if (hash !== undefined) this.#bytes.push(hash);
    for (const key of keys) {
      this.#numbers.push(key?.length ?? 0);
      if (key !== undefined) this.#bytes.push(key);
    }
  }

  #text(text: string): void {
    this.#numbers.push(text.length);
    this.#texts.push(text);
  }

  #definition(one: Definition): number {
    const known = this.#definitions.findIndex(({ dataHash }) => dataHash === one.dataHash);
    return known === -1 ? this.#definitions.push(one) - 1 : known;
  }

  pack(rest: Pick<PackedLines, 'lineCount' | 'unreadable' | 'referred'>): PackedLines {
    return {
      ...rest,
      definitions: this.#definitions,
      refusals: this.#refusals,
      operationCount: this.#operationCount,
      text: this.#texts.join(''),
      numbers: Uint32Array.from(this.#numbers),
      bytes: concatBytes(this.#bytes),
    };
  }
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const EMPTY: readonly never[] = [];
const NO_WREFS = { wrefs: EMPTY, order: EMPTY };

export class LineUnpacker {
  readonly #lines: PackedLines;
  #textAt = 0;
  #numberAt = 0;
  #byteAt = 0;
  #refusalAt = 0;

  constructor(lines: PackedLines) {
    this.#lines = lines;
  }

  unpack(): PackedOperation[] {
    const operations: PackedOperation[] = [];
    for (let count = 0; count < this.#lines.operationCount; count++) operations.push(this.#operation());
    return operations;
  }

  #operation(): PackedOperation {
    const line = this.#number();
    const form = this.#number();
    if (form === CHECKED) return this.#checked(line);
    const sent: unknown = JSON.parse(this.#text());
    return form === SENT ? { line, sent } : { line, sent, refusal: this.#refusal() };
  }

  #checked(line: number): PackedOperation {
    const { shapeName, dataHash: definition, keyPaths } = this.#lines.definitions[this.#number()] as Definition;
    const wrefCount = this.#number();
    const local = this.#text();
    const pieces = [this.#text()];
    const { wrefs, order } = wrefCount === 0 ? NO_WREFS : this.#wrefs(pieces, wrefCount);
    const hash = wrefCount === 0 ? this.#bytes(HASH_BYTES) : undefined;
    const keys = keyPaths.length === 0 ? EMPTY : this.#keys(keyPaths.length);
    return { line, shapeName, local, written: { definition, pieces, wrefs, order, hash, keys, keyPaths } };
  }

  #wrefs(pieces: string[], count: number): Pick<WrittenData, 'wrefs' | 'order'> {
    for (let piece = 0; piece < count; piece++) pieces.push(this.#text());
    const wrefs: WrittenWref[] = [];
    for (let wref = 0; wref < count; wref++) wrefs.push({ place: this.#number(), text: this.#text() });
    const order: number[] = [];
    for (let gap = 0; gap < count; gap++) order.push(this.#number());
    return { wrefs, order };
  }

  #keys(count: number): WrittenData['keys'] {
    const keys: (Uint8Array | undefined)[] = [];
    for (let key = 0; key < count; key++) {
      const length = this.#number();
      keys.push(length === 0 ? undefined : this.#bytes(length));
    }
    return keys;
  }

  #bytes(length: number): Uint8Array {
    const start = this.#byteAt;
    this.#byteAt += length;
    return this.#lines.bytes.subarray(start, this.#byteAt);
  }

  #number(): number {
    return this.#lines.numbers[this.#numberAt++] ?? 0;
  }

  #text(): string {
    const start = this.#textAt;
    this.#textAt += this.#number();
    return this.#lines.text.slice(start, this.#textAt);
  }

  #refusal(): CairnError {
    const { code, ...fields } = this.#lines.refusals[this.#refusalAt++] as ErrorFields;
    return fail(code, fields);
  }
}

export function operationOf(packed: PackedOperation, skipExisting: boolean): Operation | CairnError {
  if ('sent' in packed) return packed.refusal ?? parseOperation(packed.sent, skipExisting);
  const { shapeName, local, written } = packed;
  const name = { shapeName, local, token: undefined };
  return {
    operation: 'add',
    kind: 'thing',
    name,
    submittedName: formatRecordName(name),
    data: undefined,
    written,
    about: undefined,
    skipExisting,
  };
}

export function sentIn(packed: PackedOperation | undefined): unknown {
  if (packed === undefined || 'sent' in packed) return packed?.sent;
  return { name: formatRecordName(packed) };
}
