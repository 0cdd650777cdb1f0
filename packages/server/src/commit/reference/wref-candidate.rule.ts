import { restrictionsIn } from '@cairn/model/field-definition';
import { canonicalJson } from '@cairn/model/json';
import type { Operation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import type { ShapeValidator } from '@cairn/model/shape-validator';
import { parseWritten, type WrittenData } from '@cairn/model/written-data';
import { CairnError, fail } from '@cairn/protocol/errors';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import type { Draft } from '../draft.sql.ts';
import type { CommitNames } from '../drafting.sql.ts';
import { sha256 } from '../integrity.rule.ts';
import type { ShapeSet } from '../record-set.sql.ts';

/** Wrefs count by every definition that a shape could have, because the commit may change shapes on the way. */
export function findCandidates({ parsed: operations, shapes, request }: Draft, names: CommitNames): Set<string> {
  const { commitReferences: referencesMax } = request.order.limits;
  const definitions = new Definitions(operations, names, shapes);
  const found = new Set<string>();
  let count = 0;
  const add = (wref: string) => {
    found.add(wref);
    count += 1;
  };
  for (const operation of operations) {
    const name = names.nameOf(operation);
    for (const wref of relationsIn(operation)) add(wref);
    if (name?.local === '') for (const { shapeName } of restrictionsIn(dataIn(operation))) add(shapeName);
    if (name !== undefined && name.local !== '') definitions.collect(name.shapeName, operation, add);
    if (count > referencesMax) throw tooManyReferences(referencesMax);
  }
  return found;
}

function tooManyReferences(max: number): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `A commit can have at most ${max} references to other records. Send several commits.`,
    details: { maxReferences: max },
  });
}

function relationsIn(operation: Operation): readonly string[] {
  if (operation.operation === 'revise') return 'members' in operation.content ? operation.content.members : [];
  if (operation.operation !== 'add') return [];
  if (operation.kind === 'collection') return operation.members;
  return operation.about === undefined ? [] : [operation.about];
}

function dataIn(operation: Operation): unknown {
  if (operation.operation === 'revise') return 'data' in operation.content ? operation.content.data : undefined;
  if (operation.operation !== 'add' || operation.kind === 'collection') return undefined;
  return operation.written === undefined ? operation.data : parseWritten(operation.written);
}

function writtenIn(operation: Operation): WrittenData | undefined {
  return operation.operation === 'add' && operation.kind !== 'collection' ? operation.written : undefined;
}

class Definitions {
  readonly #names: CommitNames;
  readonly #shapes: ShapeSet;
  readonly #written = new Map<string, ShapeValidator[]>();
  readonly #known = new Map<string, ShapeValidator[]>();

  constructor(operations: readonly Operation[], names: CommitNames, shapes: ShapeSet) {
    this.#names = names;
    this.#shapes = shapes;
    for (const operation of operations) this.#take(operation);
  }

  #take(operation: Operation): void {
    const name = this.#names.nameOf(operation);
    const definition = name?.local === '' ? dataIn(operation) : undefined;
    if (name === undefined || definition === undefined) return;
    const validator = attempt(() => this.#compile(definition));
    if (validator instanceof CairnError) return;
    this.#written.set(name.shapeName, [...(this.#written.get(name.shapeName) ?? []), validator]);
  }

  collect(shapeName: string, operation: Operation, add: (wref: string) => void): void {
    const validators = this.of(shapeName);
    if (validators.every(({ visitWrefs }) => visitWrefs === undefined)) return;
    const written = writtenIn(operation);
    // Wrefs from the earlier validation count only if its definition is still the only one.
    if (written !== undefined && validators.length === 1 && this.#isPresent(shapeName, written)) {
      for (const { text } of written.wrefs) add(text);
      return;
    }
    const data = dataIn(operation);
    for (const { visitWrefs } of validators) {
      visitWrefs?.(data, (value) => {
        if (typeof value === 'string') add(value);
      });
    }
  }

  #isPresent(shapeName: string, { definition }: WrittenData): boolean {
    const present = this.#shapes.find(shapeName)?.dataHash;
    return present !== undefined && Buffer.compare(present, definition) === 0;
  }

  of(shapeName: string): readonly ShapeValidator[] {
    const known =
      this.#known.get(shapeName) ?? this.#names.aliases.of(shapeName).flatMap((alias) => this.#under(alias));
    this.#known.set(shapeName, known);
    return known;
  }

  #under(shapeName: string): ShapeValidator[] {
    const head = this.#shapes.find(shapeName);
    const builtIn = Object.hasOwn(BUILT_IN_SHAPES, shapeName) ? BUILT_IN_SHAPES[shapeName] : undefined;
    const present = head === undefined ? builtIn && this.#compile(builtIn) : this.#shapes.validator(head);
    return [...(present === undefined ? [] : [present]), ...(this.#written.get(shapeName) ?? [])];
  }

  #compile(definition: unknown): ShapeValidator {
    const data = canonicalJson(definition);
    return this.#shapes.validator({ data, dataHash: sha256(data) });
  }
}
