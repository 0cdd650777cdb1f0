// Which records a narrowed `repo:read` shows. Plain data, so that it can go to the writer thread; `compileNarrowing`
// makes the test of it.
import { compileGlob, couldNameRecordOf } from './glob.ts';

/** A shape by identity, or by name where the scope is for more than one repository. */
export type ShapeChoice = { readonly shapeId: number } | { readonly shapeName: string };

/** What both lists hold, a record must satisfy. */
export interface NarrowingEntry {
  readonly refs?: readonly string[] | undefined;
  readonly shapes?: readonly ShapeChoice[] | undefined;
}

/** Of each level one entry must let a record through: a token, and all that it descends from. */
export type Narrowing = readonly (readonly NarrowingEntry[])[];

/** A record with the names that it goes by: now, and at the sequence read. */
export interface NamedRecord {
  readonly kind: string;
  /** Of its shape; its own where it is a shape. */
  readonly shapeId: number;
  readonly shapeNames: readonly string[];
  /** Full names. */
  readonly names: readonly string[];
}

export type IsShown = (record: NamedRecord) => boolean;

const everything: IsShown = () => true;

export function compileNarrowing(narrowing: Narrowing | undefined): IsShown {
  if (narrowing === undefined) return everything;
  const levels = narrowing.map((entries) => entries.map(compileEntry));
  return (record) => levels.every((entries) => entries.some((shows) => shows(record)));
}

function compileEntry({ refs, shapes }: NarrowingEntry): IsShown {
  const globs = refs?.map((glob) => ({ glob, matches: compileGlob(glob) }));
  return (record) => {
    if (shapes !== undefined && !shapes.some((choice) => isOfShape(record, choice))) return false;
    if (globs === undefined) return true;
    // A shape is shown with the records that it could have.
    return record.kind === 'shape'
      ? record.names.every((name) => globs.some(({ glob }) => couldNameRecordOf(glob, name)))
      : record.names.every((name) => globs.some(({ matches }) => matches(name)));
  };
}

function isOfShape({ shapeId, shapeNames }: NamedRecord, choice: ShapeChoice): boolean {
  return 'shapeId' in choice ? choice.shapeId === shapeId : shapeNames.every((name) => name === choice.shapeName);
}
