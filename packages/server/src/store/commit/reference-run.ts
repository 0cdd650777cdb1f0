// The references of one operation while they are resolved: what each means, and everything that is wrong with them.
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { attempt } from '../../model/attempt.ts';
import type { Problem } from '../../model/problem.ts';
import type { Reference } from '../../model/reference.ts';
import type { HeldReferences } from './held-reference.ts';
import type { Resolved, TargetSet } from './target-set.ts';

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
  /** The text that each place holds from now on. */
  readonly wrefs = new Map<string, string>();
  /** Places where the writer named the version. */
  readonly exact = new Set<string>();
  readonly #problems: Problem[] = [];
  #code: ErrorCode | undefined;

  /** `held`: what the record refers to before the operation. */
  constructor(targets: TargetSet, held?: HeldReferences) {
    this.#targets = targets;
    this.#held = held;
  }

  resolve(text: string, place: Place): Resolved | undefined {
    // Enough is known to refuse; ten thousand more would only take time.
    if (this.#problems.length >= PROBLEMS_MAX) return undefined;
    const { heldAt = place.path } = place;
    const held = this.#held?.find(text, heldAt);
    const resolved =
      held ?? attempt(() => this.#targets.resolve(text, (record) => this.#held?.versionOf(record, heldAt)));
    if (resolved instanceof CairnError) {
      const code = place.field && !this.#targets.isWref(text) ? 'SHAPE_MISMATCH' : resolved.code;
      return this.#refuse(code, place.path, resolved.message);
    }
    // What stands in its place already was let in when it was written.
    const stays = this.#held?.holds(resolved.identity, heldAt) ?? false;
    // In the words of who wrote it: they may not read what a durable ID is called.
    const message = stays ? undefined : place.refuse?.({ ...resolved, wref: text });
    if (message !== undefined) return this.#refuse('SHAPE_MISMATCH', place.path, message);
    return resolved;
  }

  keep(path: string, { identity, wref, exact }: Resolved): void {
    this.references.push({ path, ...identity });
    this.wrefs.set(path, wref);
    if (exact) this.exact.add(path);
  }

  #refuse(code: ErrorCode, path: string, message: string): undefined {
    this.#code ??= code;
    this.#problems.push({ path, message });
    return undefined;
  }

  /** The first problem decides what kind of refusal it is. */
  end(): void {
    if (this.#code === undefined) return;
    throw fail(this.#code, { message: summaryOf(this.#problems), details: this.#problems });
  }
}

/** The first few problems in one text; the details have them all. */
export function summaryOf(problems: readonly Problem[]): string {
  const shown = problems.slice(0, 3).map(({ path, message }) => `${path || 'data'}: ${message.replace(/\.$/, '')}`);
  const more = problems.length > 3 ? `; and ${problems.length - 3} more` : '';
  return `${shown.join('; ')}${more}.`;
}
