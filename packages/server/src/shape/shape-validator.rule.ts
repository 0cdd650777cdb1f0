// Checks data against a shape. A shape is compiled once, into closures, and then used for every write of its records.

import { isJsonObject } from '../model/json-value.ts';
import { compileWrefVisitor } from '../model/wref-visitor.ts';
import { type IndexedField, indexedFields, type WrefPlace, wrefPlaces } from './field-path.rule.ts';
import type { ArrayField, Field, Fields, Shape } from './shape.rule.ts';
import { type Validation, ValidationRun } from './validation-run.rule.ts';
import { arrayCheck, booleanCheck, numberCheck, stringCheck, type ValueCheck, wrefCheck } from './value-check.rule.ts';

export interface ShapeValidator {
  validate(data: unknown): Validation;
  /** Finds the wrefs in data; `undefined` for a shape without any. */
  readonly visitWrefs: ReturnType<typeof compileWrefVisitor>;
  readonly wrefPlaces: readonly WrefPlace[];
  readonly indexedFields: readonly IndexedField[];
}

export function compileShape(shape: Shape): ShapeValidator {
  const { check } = compileObject(shape.fields);
  return {
    validate(data) {
      const run = new ValidationRun();
      check(data, run);
      return run.end();
    },
    visitWrefs: compileWrefVisitor(shape.fields),
    wrefPlaces: wrefPlaces(shape),
    indexedFields: indexedFields(shape),
  };
}

type Check = (value: unknown, run: ValidationRun) => void;

interface CompiledField {
  readonly expected: string;
  readonly optional: boolean;
  readonly check: Check;
}

function compileField(field: Field): CompiledField {
  return { optional: field.optional, ...compileType(field) };
}

function compileType(field: Field): Omit<CompiledField, 'optional'> {
  switch (field.type) {
    case 'string':
      return compileValue(stringCheck(field));
    case 'number':
      return compileValue(numberCheck(field));
    case 'boolean':
      return compileValue(booleanCheck(field));
    case 'wref':
      return compileValue(wrefCheck());
    case 'array':
      return compileArray(field);
    case 'object':
      return compileObject(field.fields);
    case 'json':
      return { expected: 'a value', check: () => {} };
  }
}

function compileValue<Value>(
  { expected, hasType, constraints }: ValueCheck<Value>,
  checkInside?: (value: Value, run: ValidationRun) => void,
): Omit<CompiledField, 'optional'> {
  return {
    expected,
    check: (value, run) => {
      if (!hasType(value)) return run.refuse(expected, value);
      for (const constraint of constraints) {
        if (!constraint.holds(value)) run.refuse(constraint.expected, value, constraint.got?.(value));
      }
      checkInside?.(value, run);
    },
  };
}

function compileArray(field: ArrayField): Omit<CompiledField, 'optional'> {
  const items = field.items && compileField(field.items);
  return compileValue(arrayCheck(field), items && ((values, run) => checkItems(values, items, run)));
}

function checkItems(values: readonly unknown[], items: CompiledField, run: ValidationRun): void {
  for (let index = 0; index < values.length && !run.isFull; index++) {
    run.enter(index);
    checkPresence(values[index], items, run);
    run.leave();
  }
}

function compileObject(fields: Fields): Omit<CompiledField, 'optional'> {
  const members = new Map([...fields].map(([name, field]) => [name, compileField(field)]));
  const required = [...members].filter(([, { optional }]) => !optional);
  const expected = 'an object';
  return {
    expected,
    check: (value, run) => {
      if (!isJsonObject(value)) return run.refuse(expected, value);
      for (const [name, field] of required) {
        if (Object.hasOwn(value, name) && value[name] !== undefined) continue;
        if (run.isFull) return;
        run.refuseAt(name, field.expected, undefined);
      }
      // Along the keys that are there: a shape may have very many optional fields, and data very many small objects.
      // Not Object.keys, which would make an array for every record.
      for (const name in value) if (Object.hasOwn(value, name)) checkMember(name, value[name], { members, run });
    },
  };
}

interface MemberCheck {
  readonly members: ReadonlyMap<string, CompiledField>;
  readonly run: ValidationRun;
}

function checkMember(name: string, value: unknown, { members, run }: MemberCheck): void {
  const field = members.get(name);
  if (field === undefined) run.reportUndeclared(name);
  // Absent, which the required ones were asked for already.
  if (field === undefined || value === undefined) return;
  run.enter(name);
  checkPresence(value, field, run);
  run.leave();
}

function checkPresence(value: unknown, { expected, optional, check }: CompiledField, run: ValidationRun): void {
  if (value !== undefined && value !== null) check(value, run);
  else if (!optional) run.refuse(expected, value);
}
