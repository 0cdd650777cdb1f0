// The model's reasons to refuse an operation. If several apply, the design leaves open which one is reported, so any is
// accepted.

export class Refusal extends Error {
  readonly codes: readonly string[];

  constructor(...codes: string[]) {
    super(codes.join(' or '));
    this.codes = codes;
  }
}

export class Problems {
  readonly #codes: string[] = [];

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
