// The references of one operation while they are resolved: what each means, and everything that is wrong with them.
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { attempt } from '../../model/attempt.ts';
import type { Problem } from '../../model/problem.ts';
import type { Reference } from '../../model/reference.ts';
import type { HeldReferences } from './held-reference.rule.ts';
import type { Resolved, TargetSet } from './target-set.sql.ts';

const PROBLEMS_MAX = 100;

/** Where a reference stands, and what is asked of it there. */
export interface Place {
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
