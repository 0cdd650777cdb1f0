// The tokens of one commit in the model, and the names that its failed operations did not create.
import { Refusal } from './refusal.ts';

export class ModelTokens {
  readonly #used = new Set<number>();
  readonly #made = new Map<number, number>();
  readonly #failed = new Set<number>();
  /** Names that a failed operation should have created. The value is true if no record has had the name since. */
  readonly #unmade = new Map<string, boolean>();

  claim(label: number): void {
    if (this.#used.has(label)) throw new Refusal('VALIDATION_ERROR');
    this.#used.add(label);
  }

  keep(label: number, id: number): void {
    this.#made.set(label, id);
  }

  labelOf(id: number): number | undefined {
    return [...this.#made].find(([, made]) => made === id)?.[0];
  }

  resolve(label: number): number {
    const id = this.#made.get(label);
    if (id === undefined) throw new Refusal(this.#failed.has(label) ? 'DEPENDENCY_FAILED' : 'UNRESOLVED_TOKEN');
    return id;
  }

  noteFailedLabel(label: number): void {
    this.#used.add(label);
    if (!this.#made.has(label)) this.#failed.add(label);
  }

  noteFailedName(name: string, isBorne: boolean): void {
    this.#unmade.set(name, !isBorne);
  }

  noteName(name: string): void {
    if (this.#unmade.has(name)) this.#unmade.set(name, false);
  }

  /**
   * The reason why a name is missing. It is certain only if the failed operation alone could have created the name. If
   * other operations or the shape were involved, the design leaves open which of the two errors is reported.
   */
  missing(name: string, otherwise: string): Refusal {
    const isUnmade = this.#unmade.get(name);
    if (isUnmade === true) return new Refusal('DEPENDENCY_FAILED');
    const shapeName = name.split('/')[0] ?? '';
    const mayDepend = isUnmade === false || this.#unmade.has(shapeName);
    return mayDepend ? new Refusal('DEPENDENCY_FAILED', otherwise) : new Refusal(otherwise);
  }
}
