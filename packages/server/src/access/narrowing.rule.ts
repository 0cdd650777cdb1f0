// Which records a narrowed `repo:read` shows. Plain data, so that it can go to the writer thread; `compileNarrowing`
// makes the test of it.
import { compileGlob, couldNameRecordOf, extendsGlob } from '@cairn/model/glob';

/** A shape by identity, or by name where the scope is for more than one repository. */
export type ShapeChoice = { readonly shapeId: number } | { readonly shapeName: string };

/** What both lists hold, a record must satisfy. */
export interface NarrowingEntry {
  readonly refs?: readonly string[] | undefined;
  readonly shapes?: readonly ShapeChoice[] | undefined;
}

/** Of each level one entry must let a record through: a token, and all that it descends from. */
export type Narrowing = readonly (readonly NarrowingEntry[])[];

/** How a record is called: its full name, and that of its shape, which is its own where it is a shape. */
export interface Called {
  readonly name: string;
  readonly shapeName: string;
}

/** A record as it is called now, and as it was at the sequence read: all of that must be shown. */
export interface NamedRecord {
  readonly kind: string;
  /** Of its shape; its own where it is a shape. */
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

type ShowsCalled = (record: NamedRecord, called: Called) => boolean;

function compileEntry({ refs, shapes }: NarrowingEntry): ShowsCalled {
  const globs = refs?.map((glob) => ({ glob, matches: compileGlob(glob) }));
  return ({ kind, shapeId }, { name, shapeName }) => {
    if (shapes !== undefined && !shapes.some((choice) => isChosen(choice, { shapeId, shapeName }))) return false;
    if (globs === undefined) return true;
    // A shape is shown with the records that it could have.
    return kind === 'shape'
      ? globs.some(({ glob }) => couldNameRecordOf(glob, name))
      : globs.some(({ matches }) => matches(name));
  };
}

function isChosen(choice: ShapeChoice, { shapeId, shapeName }: { shapeId: number; shapeName: string }): boolean {
  return 'shapeId' in choice ? choice.shapeId === shapeId : choice.shapeName === shapeName;
}

/** Whether an entry lets all records of a shape through, those too that it does not have yet. */
export function coversShape(
  { refs, shapes }: NarrowingEntry,
  { shapeName, shapeId }: { shapeName: string; shapeId: number },
): boolean {
  const chosen = shapes?.some((choice) => isChosen(choice, { shapeId, shapeName })) ?? true;
  return chosen && (refs?.some((glob) => extendsGlob(`${shapeName}/**`, glob)) ?? true);
}
