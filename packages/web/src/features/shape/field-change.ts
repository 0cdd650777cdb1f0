// How the field sets of two versions of a shape differ.
import type { Field } from './fields.ts';
import { targetName } from './shape-reference.ts';

export interface FieldChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** As it is after; of a field that was removed, as it was. */
  readonly field: Field;
  /** What of it is otherwise; none where it was added or removed. */
  readonly parts: readonly ChangedPart[];
}

export interface ChangedPart {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** In the order of the later version; what was removed comes last. */
export function fieldChanges(before: readonly Field[], after: readonly Field[]): readonly FieldChange[] {
  const known = new Map(before.map((field) => [field.pointer, field]));
  const left = new Set(after.map(({ pointer }) => pointer));
  return [
    ...after.flatMap((field) => changeOf(known.get(field.pointer), field)),
    ...before
      .filter(({ pointer }) => !left.has(pointer))
      .map((field): FieldChange => ({ path: field.path, change: 'removed', field, parts: [] })),
  ];
}

function changeOf(before: Field | undefined, field: Field): FieldChange[] {
  const { path } = field;
  if (before === undefined) return [{ path, change: 'added', field, parts: [] }];
  const parts = PARTS.flatMap(({ what, of }): ChangedPart[] => {
    const [was, is] = [of(before), of(field)];
    return was === is ? [] : [{ what, before: was, after: is }];
  });
  return parts.length === 0 ? [] : [{ path, change: 'changed', field, parts }];
}

const PARTS: readonly { readonly what: string; readonly of: (field: Field) => string }[] = [
  { what: 'type', of: ({ type }) => type },
  { what: 'needed', of: ({ isOptional }) => (isOptional ? 'optional' : 'required') },
  { what: 'refers to', of: ({ refersTo = [] }) => refersTo.map(targetName).join(', ') },
  { what: 'constraints', of: ({ constraints }) => constraints.join('; ') },
  { what: 'index', of: ({ isIndexed }) => (isIndexed ? 'indexed' : 'not indexed') },
  { what: 'description', of: ({ description = '' }) => description },
];
