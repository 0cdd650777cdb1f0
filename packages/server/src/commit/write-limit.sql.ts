// Limits a component to the records that its install approved.

import { COLLECTIONS } from '@cairn/model/collection';
import type { Operation } from '@cairn/model/operation';
import { isBuiltInShape } from '@cairn/model/shape';
import { formatRecordName, parseRecordName, type RecordName } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { compileNarrowing, coversShape, type IsShown, type Narrowing } from '../access/narrowing.rule.ts';
import type { Reader } from '../engine/database.ts';
import type { WriteOrder } from './drafting.sql.ts';
import type { Head } from './record-set.sql.ts';
import type { TargetSet } from './reference/target-set.sql.ts';
import { FIND_SHAPE_OWNERS } from './statement.sql.ts';

export class WriteLimit {
  readonly #writes: Narrowing;
  readonly #isShown: IsShown;
  readonly #targets: TargetSet;

  constructor(writes: Narrowing, targets: TargetSet) {
    this.#writes = writes;
    this.#isShown = compileNarrowing(writes);
    this.#targets = targets;
  }

  /** Runs before any lookup, so that the writer cannot learn which records exist. */
  checkBefore(operation: Operation): void {
    if (operation.operation === 'add') {
      if (operation.name !== undefined) this.#check(formatRecordName(operation.name), operation.submittedName);
      else if (operation.kind === 'collection') this.#checkAnyOf(COLLECTIONS[operation.type].shapeName);
      return;
    }
    if ('name' in operation.subject) this.#check(formatRecordName(operation.subject.name));
    if (operation.operation === 'rename') this.#check(formatRecordName(operation.newName));
  }

  /** A forbidden record gives the same error as a missing one. */
  checkSubject({ subject, submittedName }: Exclude<Operation, { operation: 'add' }>, name: string | undefined): void {
    if ('name' in subject) return;
    if (name === undefined || !this.allows(name)) throw refuseWrite(submittedName);
  }

  checkAfter({ name }: { name: string }): void {
    this.#check(name);
  }

  allows(name: string): boolean {
    const { shapeName, local } = parseRecordName(name);
    const shapeId = this.#targets.shapeIdOf(shapeName) ?? 0;
    if (local !== '') return this.#isShown({ kind: 'thing', shapeId, called: [{ name, shapeName }] });
    // A shape change affects all its records, so it requires access to every one of them.
    if (isBuiltInShape(shapeName)) return false;
    return this.#writes.every((entries) => entries.some((entry) => coversShape(entry, { shapeName, shapeId })));
  }

  #check(name: string, submittedName = name): void {
    if (!this.allows(name)) throw refuseWrite(submittedName);
  }

  #checkAnyOf(shapeName: string): void {
    const shapeId = this.#targets.shapeIdOf(shapeName) ?? 0;
    const shape = { kind: 'shape', shapeId, called: [{ name: shapeName, shapeName }] };
    if (!this.#isShown(shape)) throw refuseWrite(`collections of ${shapeName}`);
  }
}

function refuseWrite(name: string): CairnError {
  const message = `This component cannot write ${name}. Install a version whose runtimeAccess covers it.`;
  return fail('FORBIDDEN', { message, details: { missing: ['repo:write'] } });
}

export interface OwnInstall {
  readonly installId: string;
  readonly componentName: string;
}

/** Protects the shapes and the ComponentConfig records of installed components. */
export class ComponentGuard {
  readonly #order: WriteOrder;
  readonly #owners = new Map<number, string>();

  constructor(order: WriteOrder) {
    this.#order = order;
  }

  async load(reader: Reader, shapes: readonly Head[]): Promise<void> {
    const rows = shapes.map(({ recordId }) => [recordId]);
    const found = await reader.bulk<{ install_id: string }>(FIND_SHAPE_OWNERS, {
      common: [this.#order.grant.repoId],
      rows,
    });
    for (const { ord, install_id } of found) {
      const shape = shapes[ord];
      if (shape !== undefined) this.#owners.set(shape.recordId, install_id);
    }
  }

  checkShape({ recordId, local }: Head): void {
    const owner = this.#owners.get(recordId);
    if (owner !== undefined && owner !== this.#order.install?.installId) throw shapeOwned(local);
  }

  checkRecord({ local }: RecordName): void {
    const { mayConfigure, install } = this.#order;
    if (mayConfigure || local === install?.componentName) return;
    const message = 'Writing ComponentConfig needs the scope repo:configure. Use a token that has it.';
    throw fail('FORBIDDEN', { message, details: { missing: ['repo:configure'] } });
  }
}

/** The message does not name the component, because it may be private. */
function shapeOwned(shapeName: string): CairnError {
  return fail('FORBIDDEN', {
    message: `The shape ${shapeName} belongs to an installed component, and only that component can change it. Update the component, or tear it down first. component.list shows the installed components.`,
    details: { reason: 'owned_shape', shape: shapeName },
  });
}
