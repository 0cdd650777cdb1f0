import { restrictionsIn } from '@cairn/model/field-definition';
import { valueAt } from '@cairn/model/json';
import { attempt, type Problem } from '@cairn/model/problem';
import type { WrefField } from '@cairn/model/shape';
import {
  type DurableIdParts,
  formatDurableId,
  isSameRecord,
  parseReferences,
  parseWref,
  type Reference,
} from '@cairn/model/wref';
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import type { Head, RecordSet } from '../record-set.sql.ts';
import type { Resolved, TargetSet } from './target-set.sql.ts';

const PROBLEMS_MAX = 100;

interface ReferencePlace {
  readonly path: string;
  /** In a data field, a text that is no wref at all is a shape mismatch. */
  readonly field?: boolean;
  readonly heldAt?: string;
  readonly refuse?: ((resolved: Resolved) => string | undefined) | undefined;
}

export class ReferenceRun {
  readonly #targets: TargetSet;
  readonly #held: HeldReferences | undefined;
  readonly references: Reference[] = [];
  readonly texts: string[] = [];
  readonly exact: string[] = [];
  #problems: Problem[] | undefined;
  #code: ErrorCode | undefined;

  constructor(targets: TargetSet, held?: HeldReferences) {
    this.#targets = targets;
    this.#held = held;
  }

  resolve(text: string, place: ReferencePlace): Resolved | undefined {
    // Bounds the time for data with thousands of bad references.
    if (this.#problems !== undefined && this.#problems.length >= PROBLEMS_MAX) return undefined;
    const { heldAt = place.path } = place;
    const resolved = this.#held?.find(text, heldAt) ?? this.#resolve(text, heldAt);
    if (resolved instanceof CairnError) {
      const code = place.field && !this.#targets.isWref(text) ? 'SHAPE_MISMATCH' : resolved.code;
      return this.#refuse(code, place.path, resolved.message);
    }
    // An unchanged target was allowed when it was written.
    if (place.refuse === undefined || this.#held?.holds(resolved.identity, heldAt)) return resolved;
    // The message shows the submitted text, because the writer may not be allowed to see the target's name.
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

  textsByPath(): Map<string, string> {
    return new Map(this.references.map(({ path }, index) => [path, this.texts[index] ?? '']));
  }

  #refuse(code: ErrorCode, path: string, message: string): undefined {
    this.#code ??= code;
    this.#problems ??= [];
    this.#problems.push({ path, message });
    return undefined;
  }

  end(): void {
    if (this.#code === undefined || this.#problems === undefined) return;
    throw fail(this.#code, { message: summaryOf(this.#problems), details: this.#problems });
  }
}

export function summaryOf(problems: readonly Problem[]): string {
  const shown = problems.slice(0, 3).map(({ path, message }) => `${path || 'data'}: ${message.replace(/\.$/, '')}`);
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  return `${shown.join('; ')}${more}.`;
}

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

  #headOf({ identity: { repoId, recordId } }: Resolved): Head | undefined {
    return repoId === this.#records.start.repoId ? this.#records.findById(recordId) : undefined;
  }
}

const NAMES_SHOWN_MAX = 10;

type NameOf = (shapeId: number) => string | undefined;

/** A `wref` field means the shape that existed at its definition, even after a rename. Other names resolve on write. */
export class AllowedShapes {
  readonly #meant: ReadonlyMap<string, number>;
  readonly #fields = new Map<WrefField, { ids: ReadonlySet<number>; names: ReadonlySet<string> }>();

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

  refuse(field: WrefField, { shapeId, shapeName, wref }: Resolved, nameOf: NameOf): string | undefined {
    if (field.shapes === undefined) return undefined;
    const { ids, names } = this.#allowed(field, field.shapes);
    const fits =
      shapeId === undefined
        ? shapeName !== undefined && field.shapes.includes(shapeName)
        : ids.has(shapeId) || (shapeName !== undefined && names.has(shapeName));
    if (fits) return undefined;
    const present = (name: string) => nameOf(this.#meant.get(name) ?? 0) ?? name;
    const shown = field.shapes.slice(0, NAMES_SHOWN_MAX).map(present).join(' or ');
    return `expected a wref of ${shown}${field.shapes.length > NAMES_SHOWN_MAX ? ' or others' : ''}, got ${wref}`;
  }

  #allowed(field: WrefField, shapes: readonly string[]): { ids: ReadonlySet<number>; names: ReadonlySet<string> } {
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

/** A revise that sends references back unchanged keeps their meaning, whatever the writer may read. */
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

  holds(record: DurableIdParts, path: string): boolean {
    const there = this.#byPath.get(path)?.identity;
    return there !== undefined && isSameRecord(there, record);
  }

  versionOf(record: DurableIdParts, path: string): number | undefined {
    const there = this.#byPath.get(path)?.identity;
    if (there !== undefined && isSameRecord(there, record)) return there.version;
    return this.#byRecord.get(formatDurableId(record));
  }

  /** Only for references to other repositories. The path decides if two records had the same name. */
  find(text: string, path: string): Resolved | undefined {
    if (!text.startsWith('wh:')) return undefined;
    const there = this.#byPath.get(path);
    return there?.wref === text ? there : this.#byText.get(text);
  }
}

function shapeNameIn(wref: string): string | undefined {
  if (!wref.startsWith('wh:')) return undefined;
  const parsed = parseWref(wref);
  return 'name' in parsed && parsed.name.local !== '' ? parsed.name.shapeName : undefined;
}
