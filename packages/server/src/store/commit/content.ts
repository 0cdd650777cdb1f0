// What a version holds: data checked against its shape, every wref in it resolved and pinned, in its stored form.
import { hash } from 'node:crypto';
import { fail } from '@cairn/protocol/errors';
import { CONTENT_BYTES_MAX } from '../../model/built-in-shape.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import { COLLECTIONS, type CollectionType, collectionData, memberPath, membersIn } from '../../model/collection.ts';
import { visitAlong, type WrefPath } from '../../model/field-path.ts';
import { pointerTo, valueAt, withValues } from '../../model/json-pointer.ts';
import type { JsonObject } from '../../model/json-value.ts';
import type { Problem } from '../../model/problem.ts';
import { formatReferences, isSameRecord, parseReferences } from '../../model/reference.ts';
import { parseShape } from '../../model/shape-definition.ts';
import type { Content, Head } from './record-set.ts';
import { ReferenceRun } from './reference-run.ts';
import type { ShapeSet } from './shape-set.ts';
import type { Resolved, TargetSet } from './target-set.ts';

export interface DataLimits {
  readonly dataBytes: number;
  readonly dataDepth: number;
  readonly commitReferences: number;
}

export interface Prepared extends Content {
  readonly shapeVersion: number | undefined;
  readonly undeclaredFields: readonly string[];
  /** How its references were resolved; `undefined` where it has none. */
  readonly run: ReferenceRun | undefined;
}

interface ContentWriterOptions {
  readonly shapes: ShapeSet;
  readonly targets: TargetSet;
  readonly limits: DataLimits;
}

interface RecordContent {
  readonly data: unknown;
  readonly shape: Head;
  /** The version that is there, when the record is revised. */
  readonly present?: Head | undefined;
}

interface CollectionContent {
  readonly type: CollectionType;
  readonly members: readonly Resolved[];
  readonly shape: Head;
}

type FinishedRest = Pick<Prepared, 'shapeVersion' | 'undeclaredFields'>;

const NONE: readonly string[] = [];

export class ContentWriter {
  readonly #options: ContentWriterOptions;

  constructor(options: ContentWriterOptions) {
    this.#options = options;
  }

  shape(data: unknown): Prepared {
    const content = this.#store(data);
    parseShape(data);
    return { ...content, refs: null, shapeVersion: undefined, undeclaredFields: NONE, run: undefined };
  }

  record(content: RecordContent): Prepared {
    const { data, shape } = content;
    if (shape.local === 'Content') refuseLarge(contentBytes(data), CONTENT_BYTES_MAX);
    const { problems, undeclaredFields } = this.#options.shapes.validator(shape).validate(data);
    if (problems.length > 0) throw mismatch(shape.local, problems);
    return this.#finish(data, this.#resolveFields(content), { shapeVersion: shape.version, undeclaredFields });
  }

  #resolveFields({ data, shape, present }: RecordContent): ReferenceRun | undefined {
    let run: ReferenceRun | undefined;
    const carried = carriedReferences(present);
    for (const field of this.#options.shapes.validator(shape).wrefFields) {
      visitAlong(data, field.steps, (value, tokens) => {
        run ??= new ReferenceRun(this.#options.targets);
        const [text, path] = [String(value), tokens.reduce<string>(pointerTo, '')];
        const place = { path, field: true, refuse: this.#shapeCheck(shape, field) };
        const resolved = carried(text, path) ?? run.resolve(text, place);
        if (resolved !== undefined) run.keep(path, resolved);
      });
    }
    run?.end();
    return run;
  }

  /** The members of a collection, resolved, in the order in which they are kept. */
  members(type: CollectionType, texts: readonly string[], present?: Head): Resolved[] {
    const { size, ordered, repeats } = COLLECTIONS[type];
    if (size !== undefined && texts.length !== size) {
      throw refuseMembers(`A collection of type ${type} has ${size} members, not ${texts.length}.`);
    }
    const run = new ReferenceRun(this.#options.targets);
    const carried = carriedReferences(present);
    const found = texts.flatMap(
      (text, index) => carried(text, memberPath(type, index)) ?? run.resolve(text, { path: `/members/${index}` }) ?? [],
    );
    run.end();
    const inOrder = ordered ? found : found.toSorted(byIdentity);
    const twice = repeats ? undefined : inOrder.find((member, index) => isSame(member, inOrder[index - 1]));
    if (twice !== undefined)
      throw refuseMembers(`The members of a ${type} are different records: ${twice.wref} is there twice.`);
    return inOrder;
  }

  collection({ type, members, shape }: CollectionContent): Prepared {
    const run = new ReferenceRun(this.#options.targets);
    members.forEach((member, index) => {
      run.keep(memberPath(type, index), member);
    });
    const data = collectionData(
      type,
      members.map(({ wref }) => wref),
    );
    return this.#finish(data, run, { shapeVersion: shape.version, undeclaredFields: NONE });
  }

  /** The members that the data of a collection gives. */
  membersOf(data: unknown, { type, shape }: { type: CollectionType; shape: Head }): string[] {
    const { problems } = this.#options.shapes.validator(shape).validate(data);
    if (problems.length > 0) throw mismatch(shape.local, problems);
    const { members, others } = membersIn(type, data as JsonObject);
    if (others.length === 0) return members;
    throw mismatch(
      shape.local,
      others.slice(0, 10).map((name) => ({ path: `/${name}`, message: 'a collection holds its members alone' })),
    );
  }

  #shapeCheck(shape: Head, { shapes }: WrefPath): ((resolved: Resolved) => string | undefined) | undefined {
    if (shapes === undefined) return undefined;
    return ({ shapeId, shapeName, wref }) => {
      // Shapes of other repositories are known by their names alone.
      const fits = shapes.some((name) =>
        shapeId === undefined
          ? shapeName === name
          : this.#options.shapes.isRequired(shape, name, { shapeId, shapeName }),
      );
      const names = shapes.map((name) => this.#options.shapes.requiredName(shape, name));
      return fits ? undefined : `expected a wref of ${names.join(' or ')}, got ${wref}`;
    };
  }

  #finish(data: unknown, run: ReferenceRun | undefined, rest: FinishedRest): Prepared {
    const { shapeVersion, undeclaredFields } = rest;
    if (run === undefined) return { ...this.#store(data), refs: null, shapeVersion, undeclaredFields, run };
    const { references } = run;
    const content = this.#store(withValues(data, run.wrefs));
    return { ...content, refs: formatReferences(references), references, shapeVersion, undeclaredFields, run };
  }

  /** Whether it says what the version that is there says: references are compared by whom they mean. */
  isSame(prepared: Prepared, head: Head): boolean {
    // The same text may mean another record by now.
    if (isEqual(head.dataHash, prepared.dataHash) && head.refs === prepared.refs) return true;
    return prepared.run !== undefined && this.#meansTheSame(prepared, prepared.run, head);
  }

  /** A target may have been renamed or revised since: with the texts of the present version, is the rest the same? */
  #meansTheSame({ data }: Prepared, { references, exact }: ReferenceRun, head: Head): boolean {
    const present = new Map(parseReferences(head.refs).map((reference) => [reference.path, reference]));
    if (references.length === 0 || present.size !== references.length) return false;
    const same = references.every((reference) => {
      const other = present.get(reference.path);
      if (other === undefined || !isSameRecord(other, reference)) return false;
      return !exact.has(reference.path) || other.version === reference.version;
    });
    if (!same) return false;
    const before: unknown = JSON.parse(head.data);
    const texts = new Map([...present.keys()].map((path) => [path, valueAt(before, path)]));
    return isEqual(this.#store(withValues(JSON.parse(data), texts)).dataHash, head.dataHash);
  }

  #store(data: unknown): Pick<Content, 'data' | 'dataHash'> {
    const { dataDepth, dataBytes } = this.#options.limits;
    const text = canonicalJson(data, { maxDepth: dataDepth });
    refuseLarge(Buffer.byteLength(text), dataBytes);
    return { data: text, dataHash: sha256(text) };
  }
}

/**
 * References to other repositories that the present version holds. Sent back as they were read, they mean the same
 * record as before, whatever it is called by now and whether or not this writer may read it. One text may stand for two
 * records, of which the first gave its name up: then the place tells which is meant.
 */
function carriedReferences(present: Head | undefined): (text: string, path: string) => Resolved | undefined {
  let carried: CarriedReferences | undefined;
  return (text, path) => {
    if (present === undefined || present.refs === null || !text.startsWith('wh:')) return undefined;
    carried ??= storedReferences(present);
    const there = carried.byPath.get(path);
    return there?.wref === text ? there : carried.byText.get(text);
  };
}

interface CarriedReferences {
  readonly byPath: ReadonlyMap<string, Resolved>;
  readonly byText: ReadonlyMap<string, Resolved>;
}

function storedReferences({ data, refs }: Head): CarriedReferences {
  const before: unknown = JSON.parse(data);
  const stored = parseReferences(refs).map(({ path, ...identity }): [string, Resolved] => {
    const wref = String(valueAt(before, path));
    return [path, { identity, wref, shapeId: undefined, shapeName: undefined, exact: true }];
  });
  return { byPath: new Map(stored), byText: new Map(stored.map(([, resolved]) => [resolved.wref, resolved])) };
}

function byIdentity(a: Resolved, b: Resolved): number {
  return a.identity.repoId - b.identity.repoId || a.identity.recordId - b.identity.recordId;
}

function isSame(a: Resolved, b: Resolved | undefined): boolean {
  return b !== undefined && isSameRecord(a.identity, b.identity);
}

function refuseMembers(message: string) {
  return fail('VALIDATION_ERROR', { message, details: [{ path: '/members', message }] });
}

function mismatch(shapeName: string, problems: readonly Problem[]) {
  const first = problems.slice(0, 3).map(({ path, message }) => `${path || 'data'}: ${message}`);
  const message = `The data does not fit the shape ${shapeName}: ${first.join('; ')}.`;
  return fail('SHAPE_MISMATCH', { message, details: problems });
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

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
