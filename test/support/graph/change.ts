// Random changes to an existing graph. Records are known by their durable IDs, whatever their current names.
import type { Random } from '../random.ts';

export interface GraphRecord {
  readonly durableId: string;
  readonly kind: string;
  readonly shapeName: string;
}

export interface GraphChangesOptions {
  readonly random: Random;
  readonly records: readonly GraphRecord[];
  readonly elsewhere: readonly string[];
}

const OPERATIONS_MAX = 12;
/** Few names, so that records take names that others gave up. */
const NAMES = 200;

export class GraphChanges {
  readonly #options: GraphChangesOptions;
  readonly #shapeNames = new Map<string, string>();
  #count = 0;

  constructor(options: GraphChangesOptions) {
    this.#options = options;
  }

  next(): object[] {
    return Array.from({ length: 1 + this.#options.random.below(OPERATIONS_MAX) }, () => this.#operation());
  }

  #operation(): object {
    const { random, records } = this.#options;
    if (random.once(40)) return this.#renameShape(random.pick(['Place', 'Claim']));
    const record = random.pick(records.filter(({ kind }) => kind !== 'shape'));
    const name = record.durableId;
    switch (random.below(6)) {
      case 0:
        return { name: this.#newName('Place'), data: this.#dataOf('Place') };
      case 1:
        return { operation: 'retract', name };
      case 2:
        return { operation: 'rename', name, newName: this.#newName(record.shapeName) };
      default:
        return { operation: 'revise', name, ...this.#contentOf(record) };
    }
  }

  /** The new name is unused, so the rename always succeeds and later operations can rely on it. */
  #renameShape(first: string): object {
    const name = this.#shapeNames.get(first) ?? first;
    const newName = `${first}-${++this.#count}`;
    this.#shapeNames.set(first, newName);
    return { operation: 'rename', name, newName };
  }

  #newName(shapeName: string): string {
    return `${this.#shapeNames.get(shapeName) ?? shapeName}/n${this.#options.random.below(NAMES)}`;
  }

  #contentOf({ kind, shapeName }: GraphRecord): object {
    if (kind !== 'collection') return { data: this.#dataOf(shapeName) };
    return { members: [this.#target(), this.#target()] };
  }

  #dataOf(shapeName: string): object {
    const { random } = this.#options;
    if (shapeName === 'Claim') return { weight: random.below(5), source: this.#target() };
    return { rank: random.below(9), near: this.#target(), links: [this.#target(), this.#target()] };
  }

  /** By durable ID, pinned or not, by a name that may be free, or in another repository. */
  #target(): string {
    const { random, records, elsewhere } = this.#options;
    if (random.once(15)) return random.pick(elsewhere);
    if (random.once(5)) return this.#newName('Place');
    const { durableId } = random.pick(records);
    return random.once(3) ? `${durableId}@v1` : durableId;
  }
}
