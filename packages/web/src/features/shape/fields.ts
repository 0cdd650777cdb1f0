// A shape's fields as table rows, with nested fields under their paths.
import { ANY_SHAPE, type Declaration, declarationsIn, targetShapes } from '@cairn/model/declaration';
import { pointerTo } from '@cairn/model/json-pointer';
import { formatPath, ITEMS } from '../../ui/path-text.ts';
import { isShapeHere, type SaidAbout } from '../record/said-about.ts';
import { constraintsOf } from './declaration.ts';

export interface Field {
  /** `position.x`, or `links[].target` within arrays. */
  readonly path: string;
  readonly pointer: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly isIndexed: boolean;
  /** Shapes of targets, or `ANY_SHAPE`; hidden shapes are left out. */
  readonly refersTo?: readonly string[];
  readonly constraints: readonly string[];
  readonly description?: string;
}

export const fieldsOf = (fields: unknown, parents: readonly string[] = []): Field[] =>
  declarationsIn(fields).flatMap((declaration) => fieldAt(declaration, [...parents, declaration.name]));

function fieldAt(declaration: Declaration, names: readonly string[]): Field[] {
  const { keywords, isOptional } = declaration;
  const { innermost, depth } = withinArrays(declaration);
  const field: Field = {
    path: formatPath(names),
    pointer: names.reduce(pointerTo, ''),
    type: typeText(declaration),
    isOptional,
    isIndexed: keywords.indexed === true,
    constraints: constraintsOf(declaration),
    ...(innermost.type === 'wref' && { refersTo: targetShapes(innermost.keywords.shape) }),
    ...(typeof keywords.description === 'string' && { description: keywords.description }),
  };
  const inItems = Array.from({ length: depth }, () => ITEMS);
  return [field, ...fieldsOf(innermost.members, [...names, ...inItems])];
}

function withinArrays(declaration: Declaration, depth = 0): { innermost: Declaration; depth: number } {
  const { items } = declaration;
  return items === undefined ? { innermost: declaration, depth } : withinArrays(items, depth + 1);
}

function typeText({ type, items }: Declaration): string {
  if (items === undefined) return type === 'wref' ? 'reference' : type;
  return `${type} of ${items.type === 'wref' ? 'references' : typeText(items)}`;
}

export interface FieldChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly field: Field;
  readonly parts: readonly ChangedPart[];
}

export interface ChangedPart {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** In the order of the later version; removed fields come last. */
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
  { what: 'presence', of: ({ isOptional }) => (isOptional ? 'optional' : 'required') },
  { what: 'refers to', of: ({ refersTo = [] }) => refersTo.map(targetName).join(', ') },
  { what: 'constraints', of: ({ constraints }) => constraints.join('; ') },
  { what: 'index', of: ({ isIndexed }) => (isIndexed ? 'indexed' : 'not indexed') },
  { what: 'description', of: ({ description = '' }) => description },
];

export interface ShapeReference {
  readonly from: string;
  readonly path: string;
  readonly to: string;
  readonly isAbout?: true;
}

interface NamedFields {
  readonly name: string;
  readonly fields: unknown;
}

export const shapeReferences = (shapes: readonly NamedFields[]): readonly ShapeReference[] =>
  shapes.flatMap(({ name, fields }) =>
    fieldsOf(fields).flatMap(({ path, refersTo = [] }) => refersTo.map((to) => ({ from: name, path, to }))),
  );

export const aboutReferences = (pairs: readonly SaidAbout[]): readonly ShapeReference[] =>
  pairs.filter(isShapeHere).map(({ from, to }) => ({ from, path: '', to, isAbout: true }));

export function placeIn({ from, path, isAbout }: ShapeReference): string {
  if (isAbout) return from;
  return path.startsWith('/') ? `${from}${path}` : `${from}.${path}`;
}

export const targetName = (to: string): string => (to === ANY_SHAPE ? 'any shape' : to);
