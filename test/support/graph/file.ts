// A graph as the operations of one commit: things, assertions and collections that refer to each other by name and by
// token, and to records of another repository.
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { Random } from '../random.ts';

type CollectionType = (typeof COLLECTION_TYPES)[number];

export interface GraphSize {
  readonly things: number;
  readonly assertions: number;
  readonly collections: number;
}

const PLACE = {
  'rank?': { type: 'number', indexed: true },
  'label?': 'string',
  'near?': { type: 'wref', indexed: true },
  'links?': ['wref'],
  'at?': { 'home?': 'wref' },
};
const CLAIM = { 'weight?': { type: 'number', indexed: true }, 'source?': { type: 'wref', indexed: true } };

export const GRAPH_SHAPES = [
  { kind: 'shape', name: 'Place', data: { fields: PLACE } },
  { kind: 'shape', name: 'Claim', data: { fields: CLAIM } },
];

/**
 * Each record comes before the records that refer to it. Half of the assertions may thus be about collections, and the
 * other half may be members.
 */
export function graphOperations(
  random: Random,
  { size, elsewhere }: { size: GraphSize; elsewhere: readonly string[] },
) {
  const file = new GraphFile(random, elsewhere);
  const half = Math.floor(size.assertions / 2);
  for (let at = 0; at < size.things; at++) file.addThing();
  for (let at = 0; at < half; at++) file.addAssertion();
  for (let at = 0; at < size.collections; at++) file.addCollection(random.pick(COLLECTION_TYPES));
  for (let at = half; at < size.assertions; at++) file.addAssertion();
  return file.operations;
}

/** One in this many references goes to another repository. */
const ELSEWHERE_ONCE_IN = 15;

class GraphFile {
  readonly operations: object[] = [...GRAPH_SHAPES];
  readonly #random: Random;
  readonly #elsewhere: readonly string[];
  readonly #targets: string[] = [...GRAPH_SHAPES.map(({ name }) => name)];

  constructor(random: Random, elsewhere: readonly string[]) {
    this.#random = random;
    this.#elsewhere = elsewhere;
  }

  #target(): string {
    const random = this.#random;
    return random.pick(random.once(ELSEWHERE_ONCE_IN) ? this.#elsewhere : this.#targets);
  }

  #optional(name: string, value: () => unknown): object {
    return this.#random.once(2) ? { [name]: value() } : {};
  }

  #name(prefix: string): string {
    const label = this.operations.length;
    return `${prefix}${this.#random.once(2) ? `$${label}` : label}`;
  }

  #add(operation: object, name: string): void {
    this.#targets.push(name.includes('$') ? `#${this.operations.length}` : name);
    this.operations.push(operation);
  }

  addThing(): void {
    const name = this.#name('Place/');
    const data = {
      ...this.#optional('rank', () => this.#random.below(100) / 10 - 5),
      ...this.#optional('label', () => `number ${this.operations.length}`),
      ...this.#optional('near', () => this.#target()),
      ...this.#optional('links', () => Array.from({ length: this.#random.below(4) }, () => this.#target())),
      ...this.#optional('at', () => this.#optional('home', () => this.#target())),
    };
    this.#add({ operation: 'add', kind: 'thing', name, data }, name);
  }

  addAssertion(): void {
    const name = this.#name('Claim/by-');
    const data = {
      ...this.#optional('weight', () => this.#random.below(5)),
      ...this.#optional('source', () => this.#target()),
    };
    this.#add({ name, about: this.#target(), data }, name);
  }

  /** A third of the collections have no name, so nothing in the file can refer to them. */
  addCollection(type: CollectionType): void {
    const shapeName = type.charAt(0).toUpperCase() + type.slice(1);
    const size = ['set', 'list'].includes(type) ? this.#random.below(6) : 2;
    const members = this.#random.some(this.#targets, size);
    // One at most: a record elsewhere has two wrefs, and the members of a set must differ.
    if (members.length > 0 && this.#random.once(4)) {
      members[this.#random.below(members.length)] = this.#random.pick(this.#elsewhere);
    }
    if (type === 'list' && members[0] !== undefined) members.push(members[0]);
    if (this.#random.once(3)) {
      this.operations.push({ operation: 'add', type, members });
      return;
    }
    const name = this.#name(`${shapeName}/`);
    const sent = this.#random.once(2) ? name : name.slice(shapeName.length + 1);
    this.#add({ operation: 'add', kind: 'collection', type, name: sent, members }, name);
  }
}
