// The writer's caches. Validators and filters are keyed by text or hash and never become stale; the least recently used
// entry is evicted first. Stored shapes are valid for one sequence of their repository.

import { parseShape } from '@cairn/model/shape';
import { compileShape, type ShapeValidator } from '@cairn/model/shape-validator';
import { compileFilter, type MatchesOperation } from '../action/subscription-filter.rule.ts';
import type { HeadRow } from './statement.sql.ts';

const VALIDATORS_MAX = 1_000;
const FILTERS_MAX = 1_000;
const LATE_MAX = 10_000;
const SHAPES_MAX = 1_000;

export interface IndexedField {
  readonly fieldId: number;
  readonly path: string;
}

/** A shape as it is stored, with its indexed fields. */
export interface StoredShape {
  readonly head: HeadRow;
  readonly fields: readonly IndexedField[];
}

/** A repository at one of its sequences. */
interface Moment {
  readonly repoId: number;
  readonly repoSeq: number;
}

interface RepositoryShapes {
  /** At any other sequence, another writer may have changed a shape. */
  repoSeq: number;
  readonly byName: Map<string, StoredShape>;
}

export class WriterMemory {
  readonly #validators = new Map<string, ShapeValidator>();
  readonly #filters = new Map<string, MatchesOperation>();
  readonly #shapes = new Map<number, RepositoryShapes>();
  #shapeCount = 0;
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

  shape({ repoId, repoSeq }: Moment, name: string): StoredShape | undefined {
    const known = this.#shapes.get(repoId);
    return known?.repoSeq === repoSeq ? known.byName.get(name) : undefined;
  }

  keepShape({ repoId, repoSeq }: Moment, shape: StoredShape): void {
    if (this.#shapeCount >= SHAPES_MAX) this.forgetShapes();
    let known = this.#shapes.get(repoId);
    if (known?.repoSeq !== repoSeq) {
      this.#shapeCount -= known?.byName.size ?? 0;
      known = { repoSeq, byName: new Map() };
      this.#shapes.set(repoId, known);
    }
    this.#shapeCount += known.byName.has(shape.head.name) ? 0 : 1;
    known.byName.set(shape.head.name, shape);
  }

  /** Called after a commit that changed no shape. */
  advanceShapes({ repoId, repoSeq }: Moment): void {
    const known = this.#shapes.get(repoId);
    if (known?.repoSeq === repoSeq) known.repoSeq++;
  }

  /** Needed after a rollback, because another commit may then get the same sequence. */
  forgetShapes(): void {
    this.#shapes.clear();
    this.#shapeCount = 0;
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
