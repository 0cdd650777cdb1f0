// What `$N` tokens made, in a commit or over the life of a stream, and which names failed operations left unmade: so that
// who refers to them is told what is really wrong.

import { randomBytes } from 'node:crypto';
import { type CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { COLLECTION_TYPES } from '@cairn/protocol/record-kind';
import { labelIn } from '@cairn/model/placeholder';
import type { Reader } from '../engine/database.ts';
import { COLLECTIONS } from '@cairn/model/collection';
import { OPERATION_PLACES, type Places } from './outcome.rule.ts';

/** A label that was used: by whom, and what it made; nothing where that failed. */
export interface UsedPlaceholder {
  readonly label: number;
  readonly place: number;
  readonly recordId: number | null;
}

/** Labels of earlier commits of the same stream. */
export interface EarlierPlaceholders {
  find(reader: Reader, labels: readonly number[]): Promise<UsedPlaceholder[]>;
}

interface PlaceholderSetOptions {
  readonly places: Places;
  readonly earlier?: EarlierPlaceholders | undefined;
}

export class PlaceholderSet {
  readonly #options: PlaceholderSetOptions;
  readonly #asked = new Set<number>();
  readonly #made = new Map<number, number>();
  readonly #usedBy = new Map<number, number>();
  readonly #failedLabels = new Map<number, number>();
  readonly #failedNames = new Map<string, number>();
  readonly #fresh = new Set<number>();

  constructor(options: PlaceholderSetOptions = { places: OPERATION_PLACES }) {
    this.#options = options;
  }

  /** What earlier commits of the stream made of these labels. */
  async load(reader: Reader, labels: Iterable<number>): Promise<void> {
    const wanted = [...new Set(labels)].filter((label) => !this.#asked.has(label));
    if (this.#options.earlier === undefined || wanted.length === 0) return;
    for (const label of wanted) this.#asked.add(label);
    for (const { label, place, recordId } of await this.#options.earlier.find(reader, wanted)) {
      this.#usedBy.set(label, place);
      if (recordId === null) this.#failedLabels.set(label, place);
      else this.#made.set(label, recordId);
    }
  }

  /** The record of a token, if it is known before any operation is applied. */
  find(label: number): number | undefined {
    return this.#made.get(label);
  }

  /** A label is used once, whether its operation succeeds or not. */
  claim(label: number, opIndex: number): void {
    const { places } = this.#options;
    const earlier = this.#usedBy.get(label);
    if (earlier !== undefined && earlier !== places.numberOf(opIndex)) {
      const message = `$${label} is used by ${places.nameOf(earlier)} already. Take another number.`;
      throw fail('VALIDATION_ERROR', { message, details: [{ path: '/name', message }] });
    }
    this.#use(label, opIndex);
  }

  #use(label: number, opIndex: number): void {
    if (this.#usedBy.has(label)) return;
    this.#usedBy.set(label, this.#options.places.numberOf(opIndex));
    this.#fresh.add(label);
  }

  keep(label: number, recordId: number): void {
    this.#made.set(label, recordId);
  }

  /** The id of the record that a token made. */
  resolve(label: number): number {
    const recordId = this.#made.get(label);
    if (recordId !== undefined) return recordId;
    const failed = this.#failedLabels.get(label);
    if (failed !== undefined) throw this.#dependencyFailed(`#${label}`, failed);
    throw fail('UNRESOLVED_TOKEN', {
      message: `Nothing has made #${label} yet. Put an add with $${label} in its name before this operation.`,
    });
  }

  /** Notes what an operation that failed would have made. */
  noteFailure(raw: unknown, { opIndex, code }: { opIndex: number; code: ErrorCode }): void {
    // The record is there: nothing misses it because of this.
    if (code === 'ALREADY_EXISTS') return;
    const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as RawOperation;
    const unmade = unmadeName(sent);
    if (unmade === undefined) return;
    const place = this.#options.places.numberOf(opIndex);
    // A token is made by an add alone.
    const label = sent.operation === 'rename' ? undefined : labelIn(unmade);
    if (label === undefined) this.#failedNames.set(unmade, place);
    else if (!this.#made.has(label)) {
      this.#use(label, opIndex);
      this.#failedLabels.set(label, place);
    }
  }

  /** Notes that a name is someone's, whatever failed before. */
  noteMade(name: string): void {
    if (this.#failedNames.size > 0) this.#failedNames.delete(name);
  }

  /** What to tell who names a record that is not there: that its own operation failed, if that is why. */
  failureOf(name: string): CairnError | undefined {
    const failed = this.#failedNames.get(name);
    return failed === undefined ? undefined : this.#dependencyFailed(name, failed);
  }

  /** The labels that were used since it was made. */
  used(): UsedPlaceholder[] {
    return [...this.#fresh].map((label) => ({
      label,
      place: this.#usedBy.get(label) ?? 0,
      recordId: this.#made.get(label) ?? null,
    }));
  }

  #dependencyFailed(what: string, place: number): CairnError {
    const { places } = this.#options;
    return fail('DEPENDENCY_FAILED', {
      message: `${what} is not there, because ${places.nameOf(place)} of ${places.whole} failed. Mend that one first.`,
      details: { dependsOn: place },
    });
  }
}

interface RawOperation {
  readonly operation?: unknown;
  readonly name?: unknown;
  readonly newName?: unknown;
  readonly type?: unknown;
}

/** The name that an operation was to make, in full; a collection's may have been sent without its shape. */
function unmadeName({ operation = 'add', name, newName, type }: RawOperation): string | undefined {
  const unmade = operation === 'rename' ? newName : operation === 'add' ? name : undefined;
  if (typeof unmade !== 'string') return undefined;
  const collection = COLLECTION_TYPES.find((one) => one === type);
  const shape = collection === undefined ? '' : `${COLLECTIONS[collection].shapeName}/`;
  return unmade.startsWith(shape) ? unmade : `${shape}${unmade}`;
}

// Values that `$N` asks for. The time stands first, so that names made one after the other lie side by side in the index.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;

/** 26 characters: 50 bits of milliseconds, 80 random ones. */
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
