// Tracks the records that `$N` placeholders made, and the names that failed operations did not make, so that an error
// about a missing record gives the real cause.

import { randomBytes } from 'node:crypto';
import { COLLECTIONS } from '@cairn/model/collection';
import { invalidField } from '@cairn/model/operation';
import { labelIn } from '@cairn/model/placeholder';
import { type CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import type { Reader } from '../engine/database.ts';
import type { Places } from './draft.sql.ts';

export interface UsedPlaceholder {
  readonly label: number;
  readonly place: number;
  readonly recordId: number | null;
}

export interface EarlierPlaceholders {
  find(reader: Reader, labels: readonly number[]): Promise<UsedPlaceholder[]>;
}

export class PlaceholderSet {
  readonly #places: Places;
  readonly #earlier: EarlierPlaceholders | undefined;
  readonly #asked = new Set<number>();
  readonly #made = new Map<number, number>();
  readonly #usedBy = new Map<number, number>();
  readonly #failedLabels = new Map<number, number>();
  readonly #failedNames = new Map<string, number>();
  readonly #fresh = new Set<number>();

  constructor(places: Places, earlier?: EarlierPlaceholders) {
    this.#places = places;
    this.#earlier = earlier;
  }

  async load(reader: Reader, labels: Iterable<number>): Promise<void> {
    const wanted = [...new Set(labels)].filter((label) => !this.#asked.has(label));
    if (this.#earlier === undefined || wanted.length === 0) return;
    for (const label of wanted) this.#asked.add(label);
    for (const { label, place, recordId } of await this.#earlier.find(reader, wanted)) {
      this.#usedBy.set(label, place);
      if (recordId === null) this.#failedLabels.set(label, place);
      else this.#made.set(label, recordId);
    }
  }

  find(label: number): number | undefined {
    return this.#made.get(label);
  }

  claim(label: number, opIndex: number): void {
    const places = this.#places;
    const earlier = this.#usedBy.get(label);
    if (earlier !== undefined && earlier !== places.numberOf(opIndex)) {
      throw invalidField('/name', `$${label} is used by ${places.nameOf(earlier)} already. Use another number.`);
    }
    this.#use(label, opIndex);
  }

  #use(label: number, opIndex: number): void {
    if (this.#usedBy.has(label)) return;
    this.#usedBy.set(label, this.#places.numberOf(opIndex));
    this.#fresh.add(label);
  }

  keep(label: number, recordId: number): void {
    this.#made.set(label, recordId);
  }

  resolve(label: number): number {
    const recordId = this.#made.get(label);
    if (recordId !== undefined) return recordId;
    const failed = this.#failedLabels.get(label);
    if (failed !== undefined) throw this.#dependencyFailed(`#${label}`, failed);
    throw fail('UNRESOLVED_TOKEN', {
      message: `#${label} has no placeholder $${label} yet. Put an add with $${label} in its name before this operation.`,
    });
  }

  noteFailure(raw: unknown, opIndex: number, code: ErrorCode): void {
    if (code === 'ALREADY_EXISTS') return;
    const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as Record<string, unknown>;
    const unmade = unmadeName(sent);
    if (unmade === undefined) return;
    const place = this.#places.numberOf(opIndex);
    const label = sent.operation === 'rename' ? undefined : labelIn(unmade);
    if (label === undefined) this.#failedNames.set(unmade, place);
    else if (!this.#made.has(label)) {
      this.#use(label, opIndex);
      this.#failedLabels.set(label, place);
    }
  }

  noteMade(name: string): void {
    if (this.#failedNames.size > 0) this.#failedNames.delete(name);
  }

  failureOf(name: string): CairnError | undefined {
    const failed = this.#failedNames.get(name);
    return failed === undefined ? undefined : this.#dependencyFailed(name, failed);
  }

  used(): UsedPlaceholder[] {
    return [...this.#fresh].map((label) => ({
      label,
      place: this.#usedBy.get(label) ?? 0,
      recordId: this.#made.get(label) ?? null,
    }));
  }

  #dependencyFailed(what: string, place: number): CairnError {
    const places = this.#places;
    return fail('DEPENDENCY_FAILED', {
      message: `${what} does not exist, because ${places.nameOf(place)} of ${places.whole} failed. Correct that one first.`,
      details: { dependsOn: place },
    });
  }
}

function unmadeName({ operation = 'add', name, newName, type }: Record<string, unknown>): string | undefined {
  const unmade = operation === 'rename' ? newName : operation === 'add' ? name : undefined;
  if (typeof unmade !== 'string') return undefined;
  const collection = COLLECTION_TYPES.find((one) => one === type);
  const shape = collection === undefined ? '' : `${COLLECTIONS[collection].shapeName}/`;
  return unmade.startsWith(shape) ? unmade : `${shape}${unmade}`;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** 50 bits of milliseconds and 80 random bits, so that successive names are index neighbours. */
export function mintValue(): string {
  let time = Date.now();
  let value = '';
  for (let at = 0; at < TIME_CHARACTERS; at++) {
    value = ALPHABET.charAt(time % 32) + value;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(RANDOM_CHARACTERS)) value += ALPHABET.charAt(byte & 31);
  return value;
}
