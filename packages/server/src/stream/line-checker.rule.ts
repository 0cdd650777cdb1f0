// Parses and checks lines ahead of the writer. The writer uses a result only if the shape is unchanged, so stale
// results cost time but never correctness.

import { isUtf8 } from 'node:buffer';
import { canonicalJson, scanJson, valueAt, withValues } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { type Operation, parseOperation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { parseShape } from '@cairn/model/shape';
import { compileShape, type ShapeValidator } from '@cairn/model/shape-validator';
import { formatRecordName, type RecordName, repositoriesIn } from '@cairn/model/wref';
import type { WrittenData, WrittenWref } from '@cairn/model/written-data';
import { CairnError, fail } from '@cairn/protocol/errors';
import { sha256 } from '../commit/integrity.rule.ts';
import { LinePacker, type PackedLines } from '../commit/packed-lines.rule.ts';
import type { DataLimits } from '../commit/version-content.sql.ts';
import { indexKey } from '../shape/index-key.rule.ts';

export interface LearnedShape {
  readonly shapeName: string;
  readonly data: string;
  readonly dataHash: Uint8Array;
}

export interface CheckRequest {
  readonly repoId: number;
  readonly bytes: Uint8Array;
  readonly skipExisting: boolean;
  readonly committer: string | undefined;
  readonly limits: DataLimits;
  readonly learned: readonly LearnedShape[];
}

interface KnownShape {
  readonly dataHash: Uint8Array;
  readonly validator: ShapeValidator;
  readonly keyPaths: readonly string[];
}

const SHAPES_MAX = 1_000;

export class LineChecker {
  readonly #shapes = new Map<string, KnownShape>();

  check(request: CheckRequest): PackedLines {
    const { committer, skipExisting } = request;
    this.#learn(request);
    const read = readLines(request.bytes);
    const packer = new LinePacker();
    for (const [index, sent] of read.operations.entries()) {
      const refusal = read.refusals.get(index);
      const line = read.lines[index] ?? 0;
      const operation = refusal ?? parseOperation(sent, skipExisting);
      const checked = operation instanceof CairnError ? undefined : this.#write(operation, request);
      // Everything but a plain add goes to the writer, which reports errors best.
      if (checked === undefined) packer.addSent(line, read.texts[index] ?? '', refusal);
      else packer.addChecked(line, checked.name, checked.written);
    }
    return packer.pack(restOf(read, committer));
  }

  #learn({ repoId, learned }: CheckRequest): void {
    for (const { shapeName, data, dataHash } of learned) {
      const key = `${repoId} ${shapeName}`;
      const known = this.#shapes.get(key);
      this.#shapes.delete(key);
      const isKnown = known !== undefined && Buffer.compare(known.dataHash, dataHash) === 0;
      const validator = isKnown ? known.validator : compileShape(parseShape(JSON.parse(data)));
      const indexed = validator.indexedFields.filter(({ type }) => type !== 'wref');
      this.#shapes.set(key, { dataHash, validator, keyPaths: indexed.map(({ path }) => path) });
    }
    for (const key of this.#shapes.keys()) {
      if (this.#shapes.size <= SHAPES_MAX) break;
      this.#shapes.delete(key);
    }
  }

  #write(
    operation: Operation,
    { repoId, skipExisting, limits }: CheckRequest,
  ): { name: RecordName; written: WrittenData } | undefined {
    if (operation.operation !== 'add' || operation.kind !== 'thing') return undefined;
    if (operation.skipExisting !== skipExisting) return undefined;
    const { name, data, submittedName } = operation;
    if (submittedName !== formatRecordName(name)) return undefined;
    const shape = this.#shapes.get(`${repoId} ${name.shapeName}`);
    if (shape === undefined || name.token !== undefined || name.shapeName === 'Content') return undefined;
    const { problems, undeclaredFields } = shape.validator.validate(data);
    if (problems.length > 0 || undeclaredFields.length > 0) return undefined;
    const written = attempt(() => writeData(data, shape, limits));
    if (written instanceof CairnError || written === undefined) return undefined;
    return { name, written };
  }
}

function restOf({ lineCount, unreadable, operations, refusals }: ReadLines, committer: string | undefined) {
  // Refused operations may be nested too deeply to walk.
  const taken = refusals.size === 0 ? operations : operations.filter((_, index) => !refusals.has(index));
  return { lineCount, unreadable: unreadable?.fields, referred: repositoriesIn([taken, committer]) };
}

function writeData(data: unknown, shape: KnownShape, limits: DataLimits): WrittenData | undefined {
  const { dataHash: definition, keyPaths } = shape;
  const { visitWrefs, wrefPlaces } = shape.validator;
  const wrefs: WrittenWref[] = [];
  const markers = new Map<string, string>();
  visitWrefs?.(data, (value, tokens, field) => {
    const place = wrefPlaces.findIndex((one) => one.field === field);
    markers.set(tokens.reduce<string>(pointerTo, ''), `\0${wrefs.length}`);
    wrefs.push({ place, text: String(value) });
  });
  const text = canonicalJson(wrefs.length === 0 ? data : withValues(data, markers), { maxDepth: limits.dataDepth });
  if (Buffer.byteLength(text) > limits.dataBytes) return undefined;
  const keys = keyPaths.map((path) => indexKey(valueAt(data, path)));
  const checked = { definition, keyPaths, keys, wrefs };
  if (wrefs.length === 0) return { ...checked, pieces: [text], order: [], hash: sha256(text) };
  const cut = cutAtMarkers(text);
  // The data contains marker-like text, or a reference is inside an array.
  if (cut.order.length !== wrefs.length || wrefs.some(({ place }) => place === -1)) return undefined;
  return { ...checked, ...cut, hash: undefined };
}

/** JSON spelling of a NUL at the start of a string. */
const MARKER = '"\\u0000';

function cutAtMarkers(text: string): Pick<WrittenData, 'pieces' | 'order'> {
  const pieces: string[] = [];
  const order: number[] = [];
  let from = 0;
  for (let at = text.indexOf(MARKER); at !== -1; at = text.indexOf(MARKER, from)) {
    pieces.push(text.slice(from, at));
    const end = text.indexOf('"', at + MARKER.length);
    order.push(Number(text.slice(at + MARKER.length, end)));
    from = end + 1;
  }
  pieces.push(text.slice(from));
  return { pieces, order };
}

interface ReadLines {
  readonly operations: readonly unknown[];
  readonly texts: readonly string[];
  /** Line number of each operation, from 0. Blank lines have no operation. */
  readonly lines: readonly number[];
  /** Operations, by index, whose JSON would change silently when parsed. */
  readonly refusals: ReadonlyMap<number, CairnError>;
  readonly lineCount: number;
  /** The error of the first line that is not JSON. Nothing after it is read. */
  readonly unreadable: CairnError | undefined;
}

function readLines(bytes: Uint8Array): ReadLines {
  const valid = isUtf8(bytes) ? bytes : bytes.subarray(0, startOfInvalid(bytes));
  const read = readText(Buffer.from(valid.buffer, valid.byteOffset, valid.byteLength).toString());
  if (valid === bytes || read.unreadable !== undefined) return read;
  return { ...read, unreadable: fail('VALIDATION_ERROR', { message: 'This is not JSON: it is not valid UTF-8.' }) };
}

function readText(text: string): ReadLines {
  const operations: unknown[] = [];
  const texts: string[] = [];
  const lines: number[] = [];
  const refusals = new Map<number, CairnError>();
  let lineCount = 0;
  for (let start = 0; start < text.length; lineCount++) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    if (isBlank(line)) continue;
    try {
      operations.push(JSON.parse(line));
    } catch {
      return { operations, texts, lines, refusals, lineCount, unreadable: refusalOf(line) };
    }
    texts.push(line);
    lines.push(lineCount);
    const refusal = attempt(() => scanJson(line));
    if (refusal !== undefined) refusals.set(operations.length - 1, refusal);
  }
  return { operations, texts, lines, refusals, lineCount, unreadable: undefined };
}

function refusalOf(line: string): CairnError {
  const refusal = attempt(() => scanJson(line));
  const message = refusal?.message.replace('at line 1, column', 'at column') ?? 'This is not JSON.';
  return fail('VALIDATION_ERROR', { message });
}

function startOfInvalid(bytes: Uint8Array): number {
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(0x0a, start);
    if (newline === -1 || !isUtf8(bytes.subarray(start, newline))) return start;
    start = newline + 1;
  }
}

const BLANK = /^[ \t\r]*$/;
const OPEN_BRACE = 0x7b;

function isBlank(line: string): boolean {
  return line.charCodeAt(0) !== OPEN_BRACE && BLANK.test(line);
}
