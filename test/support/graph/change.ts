// Random changes to a graph that is there: records are known by their durable IDs, whatever they are called by then.
import type { Random } from '../random.ts';

export interface GraphRecord {
  readonly durableId: string;
  readonly kind: string;
  /** The name that its shape was made with. */
  readonly shapeName: string;
}

export interface GraphChangesOptions {
  readonly random: Random;
  readonly records: readonly GraphRecord[];
  /** Wrefs of records of another repository. */
  readonly elsewhere: readonly string[];
}

const OPERATIONS_MAX = 12;
/** So few names that records take those that others gave up. */
const NAMES = 200;

export class GraphChanges {
  readonly #options: GraphChangesOptions;
  /** The present names of shapes that are renamed, by the first ones. */
  readonly #shapeNames = new Map<string, string>();
  #count = 0;

  constructor(options: GraphChangesOptions) {
    this.#options = options;
  }

  /** The operations of one commit. */
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

  /** To a name that no shape ever had: it always succeeds, and later operations may count on it. */
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

  /** By durable ID, pinned or not; by a name that may be free; or elsewhere. */
  #target(): string {
    const { random, records, elsewhere } = this.#options;
    if (random.once(15)) return random.pick(elsewhere);
    if (random.once(5)) return this.#newName('Place');
    const { durableId } = random.pick(records);
    return random.once(3) ? `${durableId}@v1` : durableId;
  }
}
