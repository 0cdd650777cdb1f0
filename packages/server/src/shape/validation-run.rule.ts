// What one validation has found so far, and where in the data it stands. Pointers are written only for what is
// reported: data that fits costs none.
import { pointerTo } from '@cairn/protocol/json-pointer';
import { showValue } from '../model/json-value.ts';
import type { Problem } from '../model/problem.ts';

/** What validating has found: `problems` refuse the data, undeclared fields are kept and reported. */
export interface Validation {
  readonly problems: readonly Problem[];
  /** JSON pointers. */
  readonly undeclaredFields: readonly string[];
}

const PROBLEMS_MAX = 100;
const UNDECLARED_FIELDS_MAX = 100;

export class ValidationRun {
  readonly #problems: Problem[] = [];
  readonly #undeclaredFields: string[] = [];
  readonly #path: (string | number)[] = [];

  enter(token: string | number): void {
    this.#path.push(token);
  }

  leave(): void {
    this.#path.pop();
  }

  /** Whether enough is known to refuse: what else is wrong is not looked for. */
  get isFull(): boolean {
    return this.#problems.length >= PROBLEMS_MAX;
  }

  refuseAt(name: string, expected: string, value: unknown): void {
    this.enter(name);
    this.refuse(expected, value);
    this.leave();
  }

  /** `got` says what it is, where it is not the value itself. */
  refuse(expected: string, value: unknown, got?: string): void {
    if (this.#problems.length >= PROBLEMS_MAX) return;
    const message =
      value === undefined ? `missing, expected ${expected}` : `expected ${expected}, got ${got ?? showValue(value)}`;
    this.#problems.push({ path: this.#pointer(), message });
  }

  reportUndeclared(name: string): void {
    if (this.#undeclaredFields.length >= UNDECLARED_FIELDS_MAX) return;
    this.#undeclaredFields.push(pointerTo(this.#pointer(), name));
  }

  end(): Validation {
    return { problems: this.#problems, undeclaredFields: this.#undeclaredFields };
  }

  #pointer(): string {
    return this.#path.reduce<string>(pointerTo, '');
  }
}
