// What the writer keeps between transactions: compiled shapes. A version of a shape never changes, so nothing here can
// become wrong; what is used least goes first.
import { parseShape } from '../model/shape-definition.ts';
import { compileShape, type ShapeValidator } from '../model/shape-validator.ts';

const VALIDATORS_MAX = 1_000;

export class WriterMemory {
  readonly #validators = new Map<string, ShapeValidator>();

  validator({ repoId, recordId, version, data }: ShapeVersion): ShapeValidator {
    const key = `${repoId}/${recordId}/${version}`;
    const known = this.#validators.get(key) ?? compileShape(parseShape(JSON.parse(data)));
    this.#validators.delete(key);
    this.#validators.set(key, known);
    if (this.#validators.size > VALIDATORS_MAX) {
      const [oldest] = this.#validators.keys();
      if (oldest !== undefined) this.#validators.delete(oldest);
    }
    return known;
  }
}

interface ShapeVersion {
  readonly repoId: number;
  readonly recordId: number;
  readonly version: number;
  readonly data: string;
}
