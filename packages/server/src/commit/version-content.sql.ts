// Prepares the content of a version: validated data with every wref resolved and pinned, in its stored form.

import { COLLECTIONS, type CollectionType, collectionData, memberPath, membersIn } from '@cairn/model/collection';
import { restrictionsIn, type WrefPlace } from '@cairn/model/field-definition';
import { canonicalJson, type JsonObject, valueAt, withValues } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { invalidField } from '@cairn/model/operation';
import { attempt, type Problem } from '@cairn/model/problem';
import { CONTENT_BYTES_MAX, parseShape, type WrefField } from '@cairn/model/shape';
import { formatReferences, isSameRecord, parseReferences, type Reference } from '@cairn/model/wref';
import { parseWritten, type WrittenData, writeWrefs } from '@cairn/model/written-data';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Draft } from './draft.sql.ts';
import { sha256 } from './integrity.rule.ts';
import type { Content, Head, ShapeSet } from './record-set.sql.ts';
import { HeldReferences, ReferenceRun, summaryOf } from './reference/reference-run.rule.ts';
import type { Resolved, TargetSet } from './reference/target-set.sql.ts';

export interface DataLimits {
  readonly dataBytes: number;
  readonly dataDepth: number;
  readonly commitReferences: number;
}

export interface Prepared extends Content {
  readonly shapeVersion: number | undefined;
  readonly undeclaredFields: readonly string[];
  readonly run: ReferenceRun | undefined;
}

interface ShapeIdentity {
  readonly name: string;
  readonly recordId: number;
}

interface RecordContent {
  readonly data: unknown;
  readonly shape: Head;
  readonly present?: Head | undefined;
}

type FinishedRest = Pick<Prepared, 'shapeVersion' | 'undeclaredFields'>;

const NO_FIELDS: readonly string[] = [];

export class ContentWriter {
  readonly #shapes: ShapeSet;
  readonly #draft: Pick<Draft, 'targets'>;
  readonly #limits: DataLimits;
  readonly #held = new Map<Head, HeldReferences>();
  #compared: { definition: Uint8Array; dataHash: Uint8Array; isSame: boolean } | undefined;

  constructor(draft: Pick<Draft, 'shapes' | 'targets' | 'request'>) {
    this.#draft = draft;
    this.#shapes = draft.shapes;
    this.#limits = draft.request.order.limits;
  }

  get #targets(): TargetSet {
    return this.#draft.targets;
  }

  shape(data: unknown, self: ShapeIdentity): Prepared {
    parseShape(data);
    let run: ReferenceRun | undefined;
    for (const { path, shapeName } of restrictionsIn(data)) {
      const recordId = shapeName === self.name ? self.recordId : this.#targets.shapeIdOf(shapeName);
      if (recordId === undefined) continue;
      run ??= new ReferenceRun(this.#targets);
      run.keep(path, this.#shapeReference(recordId, shapeName));
    }
    return this.#finish(data, run, { shapeVersion: undefined, undeclaredFields: NO_FIELDS });
  }

  /** Shapes may refer to each other, so references to shapes of later operations are added at the end. */
  boundLate(head: Head): Pick<Content, 'refs' | 'references'> {
    const { references = [] } = this.shape(JSON.parse(head.data), { name: head.local, recordId: head.recordId });
    const bound = parseReferences(head.refs);
    const known = new Set(bound.map(({ path }) => path));
    const late = references.filter(({ path }) => !known.has(path));
    if (late.length === 0) return head;
    const all = [...bound, ...late].toSorted(byPath);
    return { refs: formatReferences(all), references: all };
  }

  #shapeReference(recordId: number, wref: string): Resolved {
    const identity = { repoId: this.#targets.repoId, recordId, version: 1 };
    return { identity, wref, shapeId: 0, shapeName: undefined, exact: false };
  }

  record(content: RecordContent): Prepared {
    const { data, shape } = content;
    if (shape.local === 'Content') refuseLarge(contentBytes(data), CONTENT_BYTES_MAX);
    const { problems, undeclaredFields } = this.#shapes.validator(shape).validate(data);
    if (problems.length > 0) throw mismatch(shape.local, [...problems, ...this.#unresolvedIn(content, problems)]);
    return this.#finish(data, this.#resolveFields(content), { shapeVersion: shape.version, undeclaredFields });
  }

  written(written: WrittenData, shape: Head): Prepared {
    const rest = { shapeVersion: shape.version, undeclaredFields: NO_FIELDS };
    if (!this.#isOf(written, shape)) return this.record({ data: parseWritten(written), shape });
    const { hash, pieces } = written;
    if (hash !== undefined) {
      return { data: pieces[0] ?? '', written, dataHash: hash, refs: null, run: undefined, ...rest };
    }
    const { wrefPlaces } = this.#shapes.validator(shape);
    const run = new ReferenceRun(this.#targets);
    for (const { place, text } of written.wrefs) {
      const { path, field } = wrefPlaces[place] as WrefPlace;
      this.#resolveField(run, { text, path, field, shape });
    }
    run.end();
    const text = writeWrefs(written, run.texts);
    refuseLarge(Buffer.byteLength(text), this.#limits.dataBytes);
    const references = run.references.length === 1 ? run.references : run.references.toSorted(byPath);
    const content = { data: text, written, dataHash: sha256(text) };
    return { ...content, refs: formatReferences(references), references, run, ...rest };
  }

  #isOf({ definition }: WrittenData, { dataHash }: Head): boolean {
    if (this.#compared?.definition !== definition || this.#compared.dataHash !== dataHash) {
      this.#compared = { definition, dataHash, isSame: isEqual(definition, dataHash) };
    }
    return this.#compared.isSame;
  }

  #resolveFields({ data, shape, present }: RecordContent): ReferenceRun | undefined {
    const { visitWrefs } = this.#shapes.validator(shape);
    if (visitWrefs === undefined) return undefined;
    let run: ReferenceRun | undefined;
    const held = present && this.#heldBy(present);
    visitWrefs(data, (value, tokens, field) => {
      run ??= new ReferenceRun(this.#targets, held);
      const path = tokens.reduce<string>(pointerTo, '');
      this.#resolveField(run, { text: String(value), path, field, shape });
    });
    run?.end();
    return run;
  }

  #unresolvedIn(content: RecordContent, problems: readonly Problem[]): readonly Problem[] {
    const refused = attempt(() => this.#resolveFields(content));
    if (!(refused instanceof CairnError)) return [];
    const told = new Set(problems.map(({ path }) => path));
    return (refused.details as readonly Problem[]).filter(({ path }) => !told.has(path));
  }

  #resolveField(
    run: ReferenceRun,
    { text, path, field, shape }: { text: string; path: string; field: WrefField; shape: Head },
  ): void {
    const refuse =
      field.shapes === undefined
        ? undefined
        : (resolved: Resolved) =>
            this.#shapes.allowedShapes(shape).refuse(field, resolved, (id) => this.#targets.findShapeName(id));
    const resolved = run.resolve(text, { path, field: true, refuse });
    if (resolved !== undefined) run.keep(path, resolved);
  }

  #heldBy(head: Head): HeldReferences {
    const known = this.#held.get(head);
    if (known?.isOf(head)) return known;
    const held = new HeldReferences(head);
    this.#held.set(head, held);
    return held;
  }

  members(type: CollectionType, texts: readonly string[], present?: Head): Resolved[] {
    const { size, ordered, repeats } = COLLECTIONS[type];
    if (size !== undefined && texts.length !== size) {
      throw invalidField('/members', `A collection of type ${type} has ${size} members, not ${texts.length}.`);
    }
    const run = new ReferenceRun(this.#targets, present && this.#heldBy(present));
    const found = texts.flatMap(
      (text, index) => run.resolve(text, { path: `/members/${index}`, heldAt: memberPath(type, index) }) ?? [],
    );
    run.end();
    const inOrder = ordered ? found : found.toSorted(byIdentity);
    const twice = repeats ? undefined : inOrder.find((member, index) => isSame(member, inOrder[index - 1]));
    if (twice !== undefined)
      throw invalidField(
        '/members',
        `The members of a ${type} must be different records, but ${twice.wref} appears twice.`,
      );
    return inOrder;
  }

  collection({ type, members, shape }: { type: CollectionType; members: readonly Resolved[]; shape: Head }): Prepared {
    const run = new ReferenceRun(this.#targets);
    members.forEach((member, index) => {
      run.keep(memberPath(type, index), member);
    });
    const data = collectionData(
      type,
      members.map(({ wref }) => wref),
    );
    return this.#finish(data, run, { shapeVersion: shape.version, undeclaredFields: NO_FIELDS });
  }

  membersOf(data: unknown, { type, shape }: { type: CollectionType; shape: Head }): string[] {
    const { problems } = this.#shapes.validator(shape).validate(data);
    if (problems.length > 0) throw mismatch(shape.local, problems);
    const { members, others } = membersIn(type, data as JsonObject);
    if (others.length === 0) return members;
    throw mismatch(
      shape.local,
      others.slice(0, 10).map((name) => ({ path: `/${name}`, message: 'a collection can only have its members' })),
    );
  }

  #finish(data: unknown, run: ReferenceRun | undefined, rest: FinishedRest): Prepared {
    const { shapeVersion, undeclaredFields } = rest;
    if (run === undefined) return { ...this.#store(data), refs: null, shapeVersion, undeclaredFields, run };
    const references = run.references.toSorted(byPath);
    const content = this.#store(withValues(data, run.textsByPath()));
    return { ...content, refs: formatReferences(references), references, shapeVersion, undeclaredFields, run };
  }

  isSame(prepared: Prepared, head: Head): boolean {
    // Both must match, because the same text may mean another record now.
    if (isEqual(head.dataHash, prepared.dataHash) && head.refs === prepared.refs) return true;
    return prepared.run !== undefined && this.#meansTheSame(prepared, prepared.run, head);
  }

  /** Targets may have been renamed or revised since. */
  #meansTheSame({ data }: Prepared, { references, exact }: ReferenceRun, head: Head): boolean {
    const present = new Map(parseReferences(head.refs).map((reference) => [reference.path, reference]));
    if (references.length === 0 || present.size !== references.length) return false;
    const same = references.every((reference) => {
      const other = present.get(reference.path);
      if (other === undefined || !isSameRecord(other, reference)) return false;
      return !exact.includes(reference.path) || other.version === reference.version;
    });
    if (!same) return false;
    const before: unknown = JSON.parse(head.data);
    const texts = new Map([...present.keys()].map((path) => [path, valueAt(before, path)]));
    return isEqual(this.#store(withValues(JSON.parse(data), texts)).dataHash, head.dataHash);
  }

  #store(data: unknown): Pick<Content, 'data' | 'value' | 'dataHash'> {
    const { dataDepth, dataBytes } = this.#limits;
    const text = canonicalJson(data, { maxDepth: dataDepth });
    refuseLarge(Buffer.byteLength(text), dataBytes);
    return { data: text, value: data, dataHash: sha256(text) };
  }
}

function byPath(a: Reference, b: Reference): number {
  return a.path < b.path ? -1 : 1;
}

function byIdentity(a: Resolved, b: Resolved): number {
  return a.identity.repoId - b.identity.repoId || a.identity.recordId - b.identity.recordId;
}

function isSame(a: Resolved, b: Resolved | undefined): boolean {
  return b !== undefined && isSameRecord(a.identity, b.identity);
}

function mismatch(shapeName: string, problems: readonly Problem[]) {
  const message = `The data does not fit the shape ${shapeName}: ${summaryOf(problems)}`;
  return fail('SHAPE_MISMATCH', { message, details: problems });
}

function refuseLarge(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw fail('PAYLOAD_TOO_LARGE', {
    message: `The data has ${bytes} bytes. A record can have at most ${maxBytes}. Split the data.`,
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
