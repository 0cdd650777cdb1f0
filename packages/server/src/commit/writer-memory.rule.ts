// The writer's caches between transactions. Keys are the definition's hash or the filter's text, so an entry is never
// stale, even after a draft that is not written. The least recently used entry goes first.

import { parseShape } from '@cairn/model/shape';
import { compileShape, type ShapeValidator } from '@cairn/model/shape-validator';
import { compileFilter, type MatchesOperation } from '../action/subscription-filter.rule.ts';

const VALIDATORS_MAX = 1_000;
const FILTERS_MAX = 1_000;
const LATE_MAX = 10_000;

export class WriterMemory {
  readonly #validators = new Map<string, ShapeValidator>();
  readonly #filters = new Map<string, MatchesOperation>();

  readonly #late = new Set<string>();

  /** The upload has lost its place to another one, and none of its later chunks may be applied. */
  noteLate(submissionId: string): void {
    if (submissionId === '') return;
    if (this.#late.size >= LATE_MAX) this.#late.clear();
    this.#late.add(submissionId);
  }

  isLate(submissionId: string): boolean {
    return this.#late.has(submissionId);
  }

  validator({ data, dataHash }: { data: string; dataHash: Uint8Array }): ShapeValidator {
    const key = Buffer.from(dataHash).toString('base64');
    const made = () => compileShape(parseShape(JSON.parse(data)));
    return remembered(this.#validators, { key, made, max: VALIDATORS_MAX });
  }

  filter(text: string): MatchesOperation {
    const made = () => compileFilter(JSON.parse(text));
    return remembered(this.#filters, { key: text, made, max: FILTERS_MAX });
  }
}

interface Remembering<Item> {
  readonly key: string;
  readonly made: () => Item;
  readonly max: number;
}

function remembered<Item>(memory: Map<string, Item>, { key, made, max }: Remembering<Item>): Item {
  const known = memory.get(key) ?? made();
  memory.delete(key);
  memory.set(key, known);
  if (memory.size > max) {
    const [oldest] = memory.keys();
    if (oldest !== undefined) memory.delete(oldest);
  }
  return known;
}
