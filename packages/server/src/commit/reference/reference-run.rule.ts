// The references of one operation while they are resolved: what each means, and everything that is wrong with them.
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { type DurableIdParts, formatDurableId } from '@cairn/model/durable-id';
import { valueAt } from '@cairn/model/json';
import { attempt, type Problem } from '@cairn/model/problem';
import { isSameRecord, parseReferences, parseWref, type Reference } from '@cairn/model/wref';
import { restrictionsIn } from '@cairn/model/field-definition';
import type { WrefField } from '@cairn/model/shape';
import type { Head, RecordSet } from '../record-set.sql.ts';
import type { Resolved, TargetSet } from './target-set.sql.ts';

const PROBLEMS_MAX = 100;

/** Where a reference stands, and what is asked of it there. */
interface Place {
  readonly path: string;
  /** A field of data: what is no wref at all does not fit its shape. */
  readonly field?: boolean;
  /** Where in the data it will stand, if that is another place than the one that a refusal names. */
  readonly heldAt?: string;
  /** A message when the target does not do. */
  readonly refuse?: ((resolved: Resolved) => string | undefined) | undefined;
}

export class ReferenceRun {
  readonly #targets: TargetSet;
  readonly #held: HeldReferences | undefined;
  readonly references: Reference[] = [];
  /** For each, the text that its place holds from now on. */
  readonly texts: string[] = [];
  /** Places where the writer named the version. */
  readonly exact: string[] = [];
  #problems: Problem[] | undefined;
  #code: ErrorCode | undefined;

  /** `held`: what the record refers to before the operation. */
  constructor(targets: TargetSet, held?: HeldReferences) {
    this.#targets = targets;
    this.#held = held;
  }

  resolve(text: string, place: Place): Resolved | undefined {
    // Enough is known to refuse; ten thousand more would only take time.
    if (this.#problems !== undefined && this.#problems.length >= PROBLEMS_MAX) return undefined;
    const { heldAt = place.path } = place;
    const resolved = this.#held?.find(text, heldAt) ?? this.#resolve(text, heldAt);
    if (resolved instanceof CairnError) {
      const code = place.field && !this.#targets.isWref(text) ? 'SHAPE_MISMATCH' : resolved.code;
      return this.#refuse(code, place.path, resolved.message);
    }
    // What stands in its place already was let in when it was written.
    if (place.refuse === undefined || this.#held?.holds(resolved.identity, heldAt)) return resolved;
    // In the words of who wrote it: they may not read what a durable ID is called.
    const message = place.refuse({ ...resolved, wref: text });
    if (message !== undefined) return this.#refuse('SHAPE_MISMATCH', place.path, message);
    return resolved;
  }

  #resolve(text: string, heldAt: string): Resolved | CairnError {
    const held = this.#held;
    if (held === undefined) return attempt(() => this.#targets.resolve(text));
    return attempt(() => this.#targets.resolve(text, (record) => held.versionOf(record, heldAt)));
  }

  keep(path: string, { identity, wref, exact }: Resolved): void {
    const { repoId, recordId, version } = identity;
    this.references.push({ path, repoId, recordId, version });
    this.texts.push(wref);
    if (exact) this.exact.push(path);
  }

  /** The text that each place holds from now on. */
  textsByPath(): Map<string, string> {
    return new Map(this.references.map(({ path }, index) => [path, this.texts[index] ?? '']));
  }

  #refuse(code: ErrorCode, path: string, message: string): undefined {
    this.#code ??= code;
    this.#problems ??= [];
    this.#problems.push({ path, message });
    return undefined;
  }

  /** The first problem decides what kind of refusal it is. */
  end(): void {
    if (this.#code === undefined || this.#problems === undefined) return;
    throw fail(this.#code, { message: summaryOf(this.#problems), details: this.#problems });
  }
}

/** The first few problems in one text; the details have them all. */
export function summaryOf(problems: readonly Problem[]): string {
  const shown = problems.slice(0, 3).map(({ path, message }) => `${path || 'data'}: ${message.replace(/\.$/, '')}`);
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  return `${shown.join('; ')}${more}.`;
}

// What wrefs meant when they were last used in a commit: many records refer to the same one.

/** What a text meant, and the state of the commit that it meant that in. */
interface Remembered {
  readonly resolved: Resolved;
  readonly head: Head | undefined;
  readonly version: number | undefined;
  readonly active: boolean | undefined;
  readonly renameCount: number;
}

export class RememberedTargets {
  readonly #records: RecordSet;
  readonly #byText = new Map<string, Remembered>();

  constructor(records: RecordSet) {
    this.#records = records;
  }

  /** `undefined` when the commit has changed the target since, or any name. */
  find(text: string): Resolved | undefined {
    const known = this.#byText.get(text);
    if (known === undefined || known.renameCount !== this.#records.renameCount) return undefined;
    const head = this.#headOf(known.resolved);
    const isSame = head === known.head && head?.version === known.version && head?.active === known.active;
    return isSame ? known.resolved : undefined;
  }

  keep(text: string, resolved: Resolved): void {
    const head = this.#headOf(resolved);
    const { renameCount } = this.#records;
    this.#byText.set(text, { resolved, head, version: head?.version, active: head?.active, renameCount });
  }

  /** As the commit has made it so far; `undefined` for what it does not touch. */
  #headOf({ identity: { repoId, recordId } }: Resolved): Head | undefined {
    return repoId === this.#records.start.repoId ? this.#records.findById(recordId) : undefined;
  }
}

// Which shapes the `wref` fields of a shape ask for. A name that was someone's when the field was defined means that
// shape, whatever it is called since: its identity stands among the references of the definition. A name that was
// nobody's means who bears it when a record is written.

const NAMES_SHOWN_MAX = 10;

type NameOf = (shapeId: number) => string | undefined;

interface Allowed {
  readonly ids: ReadonlySet<number>;
  readonly names: ReadonlySet<string>;
}

export class AllowedShapes {
  readonly #meant: ReadonlyMap<string, number>;
  readonly #fields = new Map<WrefField, Allowed>();

  constructor({ data, refs }: Pick<Head, 'data' | 'refs'>) {
    const ids = new Map(parseReferences(refs).map(({ path, recordId }) => [path, recordId]));
    const restrictions = ids.size === 0 ? [] : restrictionsIn(JSON.parse(data));
    this.#meant = new Map(
      restrictions.flatMap(({ path, shapeName }): [string, number][] => {
        const id = ids.get(path);
        return id === undefined ? [] : [[shapeName, id]];
      }),
    );
  }

  /** A message when a target is of another shape; `nameOf` tells what a shape is called now. */
  refuse(field: WrefField, { shapeId, shapeName, wref }: Resolved, nameOf: NameOf): string | undefined {
    if (field.shapes === undefined) return undefined;
    const { ids, names } = this.#allowed(field, field.shapes);
    // Shapes of other repositories are known by their names alone.
    const fits =
      shapeId === undefined
        ? shapeName !== undefined && field.shapes.includes(shapeName)
        : ids.has(shapeId) || (shapeName !== undefined && names.has(shapeName));
    if (fits) return undefined;
    const present = (name: string) => nameOf(this.#meant.get(name) ?? 0) ?? name;
    const shown = field.shapes.slice(0, NAMES_SHOWN_MAX).map(present).join(' or ');
    return `expected a wref of ${shown}${field.shapes.length > NAMES_SHOWN_MAX ? ' or others' : ''}, got ${wref}`;
  }

  #allowed(field: WrefField, shapes: readonly string[]): Allowed {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    const allowed = {
      ids: new Set(shapes.flatMap((name) => this.#meant.get(name) ?? [])),
      names: new Set(shapes.filter((name) => !this.#meant.has(name))),
    };
    this.#fields.set(field, allowed);
    return allowed;
  }
}

// The references that the present version of a record holds, while the record is revised. Sent back as they were read,
// they mean what they meant, whatever has become of their targets and whoever revises.

export class HeldReferences {
  readonly #refs: string | null;
  readonly #byPath: ReadonlyMap<string, Resolved>;
  readonly #byText: ReadonlyMap<string, Resolved>;
  readonly #byRecord: ReadonlyMap<string, number>;

  constructor({ data, refs }: Head) {
    this.#refs = refs;
    const before: unknown = refs === null ? undefined : JSON.parse(data);
    const held = parseReferences(refs).map(({ path, ...identity }): [string, Resolved] => {
      const wref = String(valueAt(before, path));
      return [path, { identity, wref, shapeId: undefined, shapeName: shapeNameIn(wref), exact: true }];
    });
    this.#byPath = new Map(held);
    this.#byText = new Map(held.map(([, resolved]) => [resolved.wref, resolved]));
    this.#byRecord = new Map(held.map(([, { identity }]) => [formatDurableId(identity), identity.version]));
  }

  isOf({ refs }: Head): boolean {
    return refs === this.#refs;
  }

  /** Whether a place refers to a record. */
  holds(record: DurableIdParts, path: string): boolean {
    const there = this.#byPath.get(path)?.identity;
    return there !== undefined && isSameRecord(there, record);
  }

  /** The version of a record that is referred to, in this place if it is, else anywhere. */
  versionOf(record: DurableIdParts, path: string): number | undefined {
    const there = this.#byPath.get(path)?.identity;
    if (there !== undefined && isSameRecord(there, record)) return there.version;
    return this.#byRecord.get(formatDurableId(record));
  }

  /**
   * A reference to another repository, by its text. One text may stand for two records, of which the first gave its name
   * up: then the place tells which is meant.
   */
  find(text: string, path: string): Resolved | undefined {
    if (!text.startsWith('wh:')) return undefined;
    const there = this.#byPath.get(path);
    return there?.wref === text ? there : this.#byText.get(text);
  }
}

/** Of a reference to another repository, which is known by its text alone. */
function shapeNameIn(wref: string): string | undefined {
  if (!wref.startsWith('wh:')) return undefined;
  const parsed = parseWref(wref);
  return 'name' in parsed && parsed.name.local !== '' ? parsed.name.shapeName : undefined;
}
