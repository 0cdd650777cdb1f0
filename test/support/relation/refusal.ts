// Why the model refuses an operation. Where several things are wrong, the design does not say which is told: any may be.

export class Refusal extends Error {
  readonly codes: readonly string[];

  constructor(...codes: string[]) {
    super(codes.join(' or '));
    this.codes = codes;
  }
}

/** Collects what is wrong with one operation. */
export class Problems {
  readonly #codes: string[] = [];

  /** The answer of the work, or `undefined` when it was refused. */
  check<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#codes.push(...error.codes);
      return undefined;
    }
  }

  add(code: string): void {
    this.#codes.push(code);
  }

  end(): void {
    if (this.#codes.length > 0) throw new Refusal(...this.#codes);
  }
}
