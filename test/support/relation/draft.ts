// A commit in progress: the state after the operations so far.
import { arranged, COLLECTION_RULES, type CollectionType, isAllowed } from './collection.ts';
import { carriedRef } from './content.ts';
import { labelIn, type Outcome } from './operation.ts';
import { Problems } from './refusal.ts';
import { type ModelRecord, ModelRef, type ModelState, type ModelVersion } from './state.ts';
import { type ModelAddress, type ModelReader, resolve } from './target.ts';
import { ModelTokens } from './token.ts';

export interface ModelStart {
  readonly repo: string;
  readonly state: ModelState;
  readonly readable: ReadonlyMap<string, ModelState>;
  readonly durableIds: ReadonlyMap<string, ModelAddress>;
  /** Names of unnamed collections, by their derived key. */
  readonly derivedNames: ReadonlyMap<string, string>;
}

const PLACEHOLDER = '(not known yet)';

export const isPlaceholder = (name: string) => name.includes(PLACEHOLDER);

interface Making {
  readonly name: string;
  readonly opIndex: number;
  readonly key?: string | undefined;
}

interface ToLearn {
  readonly opIndex: number;
  readonly id: number;
  readonly key: string | undefined;
}

export class ModelDraft {
  readonly start: ModelStart;
  readonly tokens = new ModelTokens();
  state: ModelState;
  /** Records whose names the server mints or derives. */
  readonly toLearn: ToLearn[] = [];

  constructor(start: ModelStart) {
    this.start = start;
    this.state = start.state;
  }

  get reader(): ModelReader {
    const { repo, readable, durableIds } = this.start;
    return { repo, readable, durableIds, state: this.state, tokens: this.tokens };
  }

  /** With a token, the name is unknown until the commit is done. */
  localFor(local: string, opIndex: number): string {
    const label = labelIn(local);
    if (label === undefined) return local;
    this.tokens.claim(label);
    return `${PLACEHOLDER}${opIndex}`;
  }

  derivedLocal(key: string): string {
    return this.start.derivedNames.get(key) ?? `${PLACEHOLDER}${key.replaceAll('/', ':')}`;
  }

  make({ data, ...record }: Omit<ModelRecord, 'id' | 'versions'> & { data: unknown }, making: Making): Outcome {
    this.state = this.state.withNew({ ...record, versions: [{ active: true, data }] });
    const id = this.state.records.length;
    const label = labelIn(making.name);
    if (label !== undefined) this.tokens.keep(label, id);
    const { opIndex, key } = making;
    if (label !== undefined || key !== undefined) this.toLearn.push({ opIndex, id, key });
    this.tokens.noteName(this.state.nameOf(this.state.record(id)));
    return { status: 'applied', id };
  }

  append(record: ModelRecord, version: ModelVersion): Outcome {
    this.state = this.state.with({ ...record, versions: [...record.versions, version] });
    return { status: 'applied', id: record.id };
  }

  /** A shape's definition with a reference for each name that a record has now. `self` is the shape itself. */
  definition(definition: unknown, self: { name: string; id: number }): unknown {
    if (typeof definition !== 'object' || definition === null) return definition;
    const { fields } = definition as { fields: Readonly<Record<string, unknown>> };
    const read = Object.entries(fields).map(([key, field]) => [key, this.#restricted(field, self)]);
    return { ...definition, fields: Object.fromEntries(read) };
  }

  /** At the end of the commit, shapes written in it also refer to shapes that came later. */
  bindShapes(): void {
    for (const record of this.state.records) {
      const head = record.versions.at(-1);
      const before = this.start.state.records[record.id - 1]?.versions.length ?? 0;
      if (record.kind !== 'shape' || head === undefined || !head.active || record.versions.length === before) continue;
      const data = this.definition(head.data, { name: record.local, id: record.id });
      this.state = this.state.with({ ...record, versions: record.versions.with(-1, { ...head, data }) });
    }
  }

  #restricted(field: unknown, self: { name: string; id: number }): unknown {
    const { shape } = (typeof field === 'object' && field !== null ? field : {}) as { shape?: unknown };
    if (typeof shape !== 'string') return field;
    const id = shape === self.name ? self.id : this.state.find(shape)?.id;
    if (id === undefined) return field;
    const asked = { repo: this.start.repo, id, version: 1, exact: false, text: undefined, asked: shape };
    return { ...(field as object), shape: new ModelRef(asked) };
  }

  /** The members of a collection. `present` is its current data, for a revision. */
  members(type: CollectionType, texts: readonly string[], present?: unknown): readonly ModelRef[] {
    const problems = new Problems();
    const { isOrdered, places, size } = COLLECTION_RULES[type];
    const refs = texts.flatMap((text, index) => {
      const path = places.length === 1 ? `/${places[0]}/${index}` : `/${places[index]}`;
      // Members without an order have no path of their own.
      const carried = carriedRef({ text, path: isOrdered ? path : '', present });
      const held = { present, path };
      return carried ?? problems.check(() => resolve(this.reader, text, { field: false, held })) ?? [];
    });
    if (refs.length === texts.length && !isAllowed(type, refs)) problems.add('VALIDATION_ERROR');
    if (size !== undefined && texts.length !== size) problems.add('VALIDATION_ERROR');
    problems.end();
    return arranged(type, refs);
  }
}
