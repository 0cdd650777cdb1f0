// Composes operations. An author writes only its own records, so it knows the effect of each operation in advance.
import type { Random } from '../support/random.ts';
import { contentOf } from './content.ts';
import type { Change, KnownRecord, RepositoryModel, Version } from './repository-model.ts';

/** An operation and its change. Of collections, only their set of names is checked later, so they have no change. */
export interface Step {
  readonly operation: object;
  readonly change?: Change;
}

export interface AuthorOptions {
  readonly model: RepositoryModel;
  readonly random: Random;
  /** Letters and digits, unique in the repository. */
  readonly id: string;
  /** Unique too, because each author's numbers have a separate range. */
  readonly index: number;
}

const NUMBERS_EACH = 10_000_000;
const DIGITS = 7;

export class Author {
  readonly #options: AuthorOptions;
  readonly #items: KnownRecord[] = [];
  /** A commit may change a record only once. */
  readonly #touched = new Set<KnownRecord>();
  #count = 0;

  constructor(options: AuthorOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#options.id;
  }

  begin(): void {
    this.#touched.clear();
  }

  add(): Step {
    const { model } = this.#options;
    const key = this.#newKey();
    const name = `Item/${key}`;
    const record = model.addRecord({ key, kind: 'thing', names: [name], versions: [] });
    this.#items.push(record);
    return { operation: { name, data: contentOf(key, this.#n) }, change: this.#change(record, { n: this.#n }) };
  }

  revise(): Step | undefined {
    const record = this.#pick(() => true);
    if (record === undefined) return undefined;
    this.#count += 1;
    const operation = { operation: 'revise', name: nameOf(record), data: contentOf(record.key, this.#n) };
    return { operation, change: this.#change(record, { n: this.#n }) };
  }

  retract(): Step | undefined {
    const record = this.#pick(isActive);
    const last = record?.versions.at(-1);
    if (record === undefined || last === undefined) return undefined;
    const operation = { operation: 'retract', name: nameOf(record), reason: 'it was time' };
    return { operation, change: this.#change(record, { n: last.n, active: false }) };
  }

  rename(): Step | undefined {
    const record = this.#pick(isActive);
    if (record === undefined) return undefined;
    const newName = `Item/${record.key}-r${record.names.length}`;
    const operation = { operation: 'rename', name: nameOf(record), newName };
    record.names.push(newName);
    this.#touched.add(record);
    return { operation, change: { record } };
  }

  claim(): Step | undefined {
    const about = this.#pick(isActive);
    if (about === undefined) return undefined;
    const key = this.#newKey();
    const name = `Claim/${key}`;
    const record: KnownRecord = { key, kind: 'assertion', names: [name], versions: [], about };
    this.#options.model.addRecord(record);
    const operation = { name, about: nameOf(about), data: contentOf(key, this.#n) };
    return { operation, change: this.#change(record, { n: this.#n }) };
  }

  arc(): Step | undefined {
    const [from, to] = [this.#pick(isActive), this.#pick(isActive)];
    if (from === undefined || to === undefined || from === to) return undefined;
    const name = `Arc/${this.#newKey()}`;
    this.#options.model.collections.add(name);
    return { operation: { type: 'arc', name, members: [nameOf(from), nameOf(to)] } };
  }

  #newKey(): string {
    this.#count += 1;
    return `${this.#options.id}x${String(this.#count).padStart(DIGITS, '0')}`;
  }

  get #n(): number {
    return this.#options.index * NUMBERS_EACH + this.#count;
  }

  #change(record: KnownRecord, { n, active = true }: Pick<Version, 'n'> & Partial<Version>): Change {
    const version: Version = { n, active, after: Number.POSITIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };
    record.versions.push(version);
    this.#touched.add(record);
    return { record, version };
  }

  /** A random record that the current commit has not changed, or undefined if none is found. */
  #pick(fits: (record: KnownRecord) => boolean): KnownRecord | undefined {
    if (this.#items.length === 0) return undefined;
    const record = this.#options.random.pick(this.#items);
    return fits(record) && !this.#touched.has(record) ? record : undefined;
  }
}

const nameOf = ({ names }: KnownRecord) => names.at(-1) ?? '';
const isActive = ({ versions }: KnownRecord) => versions.at(-1)?.active === true;
