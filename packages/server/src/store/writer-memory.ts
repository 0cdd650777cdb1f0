// What the writer keeps between transactions: compiled shapes, by the hash of their definition. Nothing here can become
// wrong, not even by a commit that is drafted and never written; what is used least goes first.
import { parseShape } from '../model/shape-definition.ts';
import { compileShape, type ShapeValidator } from '../model/shape-validator.ts';

const VALIDATORS_MAX = 1_000;

export class WriterMemory {
  readonly #validators = new Map<string, ShapeValidator>();

  validator({ data, dataHash }: ShapeDefinition): ShapeValidator {
    const key = Buffer.from(dataHash).toString('base64');
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

interface ShapeDefinition {
  readonly data: string;
  readonly dataHash: Uint8Array;
}
