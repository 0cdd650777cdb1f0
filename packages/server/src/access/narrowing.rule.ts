// Narrowed `repo:read` as plain data, so that it can be sent to the writer thread.
import { compileGlob, couldNameRecordOf, extendsGlob } from '@cairn/model/glob';

/** A shape by identity, or by name if the scope covers more than one repository. */
export type ShapeChoice = { readonly shapeId: number } | { readonly shapeName: string };

export interface NarrowingEntry {
  readonly refs?: readonly string[] | undefined;
  readonly shapes?: readonly ShapeChoice[] | undefined;
}

/** One level for the token and each of its ancestors. Every level needs an entry that matches the record. */
export type Narrowing = readonly (readonly NarrowingEntry[])[];

export interface Called {
  readonly name: string;
  readonly shapeName: string;
}

export interface NamedRecord {
  readonly kind: string;
  readonly shapeId: number;
  readonly called: readonly Called[];
}

export type IsShown = (record: NamedRecord) => boolean;

const everything: IsShown = () => true;

export function compileNarrowing(narrowing: Narrowing | undefined): IsShown {
  if (narrowing === undefined) return everything;
  const levels = narrowing.map((entries) => entries.map(compileEntry));
  return (record) =>
    levels.every((entries) => record.called.every((called) => entries.some((shows) => shows(record, called))));
}

function compileEntry({ refs, shapes }: NarrowingEntry): (record: NamedRecord, called: Called) => boolean {
  const globs = refs?.map((glob) => ({ glob, matches: compileGlob(glob) }));
  return ({ kind, shapeId }, { name, shapeName }) => {
    if (shapes !== undefined && !shapes.some((choice) => isChosen(choice, { shapeId, shapeName }))) return false;
    if (globs === undefined) return true;
    return kind === 'shape'
      ? globs.some(({ glob }) => couldNameRecordOf(glob, name))
      : globs.some(({ matches }) => matches(name));
  };
}

function isChosen(choice: ShapeChoice, { shapeId, shapeName }: { shapeId: number; shapeName: string }): boolean {
  return 'shapeId' in choice ? choice.shapeId === shapeId : choice.shapeName === shapeName;
}

/** True if the entry matches every record that the shape has or could ever have. */
export function coversShape(
  { refs, shapes }: NarrowingEntry,
  { shapeName, shapeId }: { shapeName: string; shapeId: number },
): boolean {
  const chosen = shapes?.some((choice) => isChosen(choice, { shapeId, shapeName })) ?? true;
  return chosen && (refs?.some((glob) => extendsGlob(`${shapeName}/**`, glob)) ?? true);
}
