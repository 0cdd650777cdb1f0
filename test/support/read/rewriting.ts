// A repository of many records that are rewritten repeatedly, and a naive record of its state at each sequence.

export interface Held {
  readonly number: number;
  readonly local: string;
  readonly version: number;
  readonly active: boolean;
  readonly repoSeq: number;
  readonly n: number;
}

export interface ShownRecord {
  readonly name: string;
  readonly version: number;
  readonly active: boolean;
  readonly repoSeq: number;
  readonly n: number;
}

export type SendCommit = (operations: readonly object[]) => Promise<number>;

const FIELDS = { n: 'number', label: 'string' };
const OPERATIONS_MAX = 10_000;

export class Rewriting {
  readonly #send: SendCommit;
  readonly #states = new Map<number, { shapeName: string; held: readonly Held[] }>();
  #held: readonly Held[] = [];
  #shapeName = 'Item';
  repoSeq = 0;

  constructor(send: SendCommit) {
    this.#send = send;
  }

  async fill(count: number): Promise<void> {
    await this.#commit([{ kind: 'shape', name: 'Item', data: { fields: FIELDS } }]);
    for (let start = 0; start < count; start += OPERATIONS_MAX) {
      const numbers = Array.from({ length: Math.min(OPERATIONS_MAX, count - start) }, (_, index) => start + index);
      const operations = numbers.map((number) => ({ name: `Item/r${number}`, data: dataOf(number) }));
      const made = (repoSeq: number) =>
        numbers.map((n) => ({ number: n, local: `r${n}`, version: 1, active: true, repoSeq, n }));
      await this.#commit(operations, (repoSeq) => [...this.#held, ...made(repoSeq)]);
    }
  }

  async rewrite(round: number, { from, to }: { from: number; to: number }): Promise<void> {
    const changes = this.#held.slice(from, to).map((held) => this.#change(held, round));
    await this.#commit(
      changes.map(({ operation }) => operation),
      (repoSeq) => [
        ...this.#held.slice(0, from),
        ...changes.map(({ after }) => after(repoSeq)),
        ...this.#held.slice(to),
      ],
    );
  }

  async renameShape(newName: string): Promise<void> {
    const operation = { operation: 'rename', kind: 'shape', name: this.#shapeName, newName };
    this.#shapeName = newName;
    await this.#commit([operation]);
  }

  #change(held: Held, round: number): { operation: object; after: (repoSeq: number) => Held } {
    const { number, local, version, active } = held;
    const name = `${this.#shapeName}/${local}`;
    if (number % 7 === round && active) {
      const after = (repoSeq: number) => ({ ...held, version: version + 1, active: false, repoSeq });
      return { operation: { operation: 'retract', name }, after };
    }
    if (number % 11 === round) {
      const renamed = `s${round}-${number}`;
      const operation = { operation: 'rename', name, newName: `${this.#shapeName}/${renamed}` };
      return { operation, after: () => ({ ...held, local: renamed }) };
    }
    const n = number + round * 1_000_000;
    const after = (repoSeq: number) => ({ ...held, version: version + 1, active: true, repoSeq, n });
    return { operation: { operation: 'revise', name, data: dataOf(n) }, after };
  }

  async #commit(operations: readonly object[], after: (repoSeq: number) => readonly Held[] = () => this.#held) {
    this.repoSeq = await this.#send(operations);
    this.#held = after(this.repoSeq);
    this.#states.set(this.repoSeq, { shapeName: this.#shapeName, held: this.#held });
  }

  shownAt(repoSeq: number): ShownRecord[] {
    const { shapeName, held } = this.#states.get(repoSeq) ?? { shapeName: '', held: [] };
    return held
      .filter(({ active }) => active)
      .map(({ local, number: _, ...rest }) => ({ name: `${shapeName}/${local}`, ...rest }));
  }
}

const dataOf = (n: number) => ({ n, label: `label of ${n % 1_000}` });
