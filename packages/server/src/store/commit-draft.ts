// Applies operations, one after the other, to the records in memory: what each makes of its record, or why it cannot.
// Nothing is written here, so an operation that fails leaves no trace.
import { hash } from 'node:crypto';
import type { OperationResult } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import { BUILT_IN_SHAPES, CONTENT_BYTES_MAX, GUARDED_SHAPES, isBuiltInShape } from '../model/built-in-shape.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { Operation } from '../model/operation.ts';
import { formatRecordName } from '../model/record-name.ts';
import { parseShape } from '../model/shape-definition.ts';
import type { Head, RecordSet } from './record-set.ts';
import type { ShapeSet } from './shape-set.ts';

export interface DataLimits {
  readonly dataBytes: number;
  readonly dataDepth: number;
}

interface CommitDraftOptions {
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
  readonly limits: DataLimits;
}

interface Prepared {
  readonly data: string;
  readonly dataHash: Uint8Array;
  readonly shapeVersion: number | undefined;
  readonly undeclaredFields: readonly string[];
}

type Op<Name extends Operation['operation']> = Extract<Operation, { operation: Name }>;

export class CommitDraft {
  readonly #options: CommitDraftOptions;

  constructor(options: CommitDraftOptions) {
    this.#options = options;
  }

  apply(operation: Operation, opIndex: number): OperationResult {
    refuseGuarded(operation);
    switch (operation.operation) {
      case 'add':
        return this.#add(operation, opIndex);
      case 'revise':
        return this.#revise(operation, opIndex);
      case 'retract':
        return this.#retract(operation, opIndex);
    }
  }

  #add(operation: Op<'add'>, opIndex: number): OperationResult {
    const { records, shapes } = this.#options;
    const { name, kind, skipExisting } = operation;
    const shape = kind === 'shape' ? undefined : this.#shapeFor(operation, opIndex);
    const address =
      shape === undefined ? { shapeId: 0, local: name.shapeName } : { shapeId: shape.recordId, local: name.local };
    const existing = records.find(address);
    if (existing !== undefined) {
      if (skipExisting) return result(operation, opIndex, { head: existing, status: 'noop' });
      throw alreadyExists(operation, existing);
    }
    const prepared = this.#prepare(operation, shape);
    const head = records.add(address, kind, { ...prepared, ...at(operation, opIndex), active: true });
    if (kind === 'shape') shapes.indexFields(head);
    return result(operation, opIndex, { head, status: 'applied', prepared });
  }

  #revise(operation: Op<'revise'>, opIndex: number): OperationResult {
    const { records, shapes } = this.#options;
    const { head, shape } = this.#existing(operation);
    const prepared = this.#prepare(operation, shape);
    if (head.active && Buffer.compare(head.dataHash, prepared.dataHash) === 0) {
      return result(operation, opIndex, { head, status: 'noop', prepared });
    }
    records.append(head, { ...prepared, ...at(operation, opIndex), active: true });
    if (shape === undefined) shapes.indexFields(head);
    return result(operation, opIndex, { head, status: 'applied', prepared });
  }

  #retract(operation: Op<'retract'>, opIndex: number): OperationResult {
    const { records } = this.#options;
    const { head, shape } = this.#existing(operation);
    if (!head.active) return result(operation, opIndex, { head, status: 'noop' });
    const { data, dataHash } = head;
    const { reason } = operation;
    const change = { data, dataHash, reason, shapeVersion: shape?.version, active: false };
    records.append(head, { ...change, ...at(operation, opIndex) });
    return result(operation, opIndex, { head, status: 'applied' });
  }

  /** The shape that a thing is added under; a built-in one is made at its first use. */
  #shapeFor({ name }: Op<'add'>, opIndex: number): Head {
    const { records, shapes } = this.#options;
    const { shapeName } = name;
    const shape = shapes.find(shapeName);
    if (shape?.active) return shape;
    if (shape === undefined && isBuiltInShape(shapeName)) {
      const data = canonicalJson(BUILT_IN_SHAPES[shapeName]);
      const change = { data, dataHash: sha256(data), shapeVersion: undefined, active: true };
      const place = { name: shapeName, opIndex, operation: 'add' } as const;
      return records.add({ shapeId: 0, local: shapeName }, 'shape', { ...change, ...place });
    }
    const message =
      shape === undefined
        ? `There is no shape ${shapeName}. Create it first, or earlier in the same commit.`
        : `The shape ${shapeName} is retracted. Revise it to bring it back.`;
    throw fail('TARGET_NOT_FOUND', { message, details: [{ path: '/name', message }] });
  }

  /** The record that is there to be changed, with its shape; `undefined` for a shape itself. */
  #existing(operation: Op<'revise'> | Op<'retract'>): { head: Head; shape: Head | undefined } {
    const { name, expectedVersion } = operation;
    const { records, shapes } = this.#options;
    const shape = shapes.find(name.shapeName);
    const head =
      name.local === '' || shape === undefined ? shape : records.find({ shapeId: shape.recordId, local: name.local });
    if (head === undefined || (shape === undefined && name.local !== '')) {
      throw fail('NOT_FOUND', {
        message: `There is no ${formatRecordName(name)} to ${operation.operation}. Add it first.`,
      });
    }
    if (expectedVersion !== undefined && expectedVersion !== head.version) throw versionMismatch(operation, head);
    return { head, shape: name.local === '' ? undefined : shape };
  }

  /** Data in its stored form, validated. */
  #prepare({ name, data }: Op<'add'> | Op<'revise'>, shape: Head | undefined): Prepared {
    const { limits, shapes } = this.#options;
    const text = canonicalJson(data, { maxDepth: limits.dataDepth });
    refuseLarge(Buffer.byteLength(text), limits.dataBytes);
    if (name.shapeName === 'Content') refuseLarge(contentBytes(data), CONTENT_BYTES_MAX);
    const dataHash = sha256(text);
    if (shape === undefined) {
      parseShape(data);
      return { data: text, dataHash, shapeVersion: undefined, undeclaredFields: [] };
    }
    const { problems, undeclaredFields } = shapes.validator(shape).validate(data);
    if (problems.length > 0) {
      const first = problems.slice(0, 3).map(({ path, message }) => `${path || 'data'}: ${message}`);
      const message = `The data does not fit the shape ${name.shapeName}: ${first.join('; ')}.`;
      throw fail('SHAPE_MISMATCH', { message, details: problems });
    }
    return { data: text, dataHash, shapeVersion: shape.version, undeclaredFields };
  }
}

/** Where in the commit a version is made, and of what. */
function at({ operation, name }: Operation, opIndex: number) {
  return { operation, opIndex, name: formatRecordName(name) };
}

function refuseGuarded({ name, operation }: Operation): void {
  const writer = Object.hasOwn(GUARDED_SHAPES, name.shapeName) ? GUARDED_SHAPES[name.shapeName] : undefined;
  if (writer === undefined || name.local === '') return;
  const message = `Records of ${name.shapeName} are written by ${writer} alone; this cannot ${operation} one.`;
  throw fail('RESERVED_NAME', { message });
}

function refuseLarge(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw fail('PAYLOAD_TOO_LARGE', {
    message: `The data has ${bytes} bytes; at most ${maxBytes} are kept in a record. Split it.`,
    details: { bytes, maxBytes },
  });
}

function contentBytes(data: unknown): number {
  const content = typeof data === 'object' && data !== null && 'content' in data ? data.content : '';
  return typeof content === 'string' ? Buffer.byteLength(content) : 0;
}

function alreadyExists({ name }: Operation, { version, active }: Head) {
  const state = active ? 'exists already' : 'exists already, retracted';
  return fail('ALREADY_EXISTS', {
    message: `${formatRecordName(name)} ${state}. Use revise to change it, or skipExisting to leave it.`,
    details: { currentVersion: version },
  });
}

function versionMismatch({ name, expectedVersion }: Op<'revise'> | Op<'retract'>, { version }: Head) {
  return fail('CONFLICT', {
    message: `${formatRecordName(name)} is at version ${version}, not ${expectedVersion}. Read it again and decide anew.`,
    details: { reason: 'expected_version_mismatch', expectedVersion, currentVersion: version },
  });
}

interface Outcome {
  readonly head: Head;
  readonly status: 'applied' | 'noop';
  readonly prepared?: Prepared;
}

function result({ operation, name }: Operation, opIndex: number, { head, status, prepared }: Outcome): OperationResult {
  const undeclaredFields = prepared?.undeclaredFields ?? [];
  return {
    opIndex,
    operation,
    kind: head.kind as OperationResult['kind'],
    name: formatRecordName(name),
    version: head.version,
    status,
    dataHash: Buffer.from(head.dataHash).toString('hex'),
    ...(undeclaredFields.length > 0 && { warnings: { undeclaredFields: [...undeclaredFields] } }),
  };
}

export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
