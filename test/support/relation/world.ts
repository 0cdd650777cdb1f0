// Two repositories in the model that refer to each other, and their known durable IDs.
import type { CommitResult } from '@cairn/protocol/commit';
import { ModelCommit } from './commit.ts';
import { isPlaceholder } from './draft.ts';
import { ModelState } from './state.ts';
import type { ModelAddress } from './target.ts';

export class ModelRepository {
  readonly address: string;
  readonly states: ModelState[] = [new ModelState([])];
  readonly derivedNames = new Map<string, string>();

  constructor(address: string) {
    this.address = address;
  }

  get head(): ModelState {
    return this.states.at(-1) ?? new ModelState([]);
  }

  keep({ state, toLearn }: ModelCommit, { operations }: CommitResult): void {
    let known = state;
    for (const { opIndex, id, key } of toLearn) {
      const [, ...rest] = operations[opIndex]?.name.split('/') ?? [];
      const local = rest.join('/');
      if (key !== undefined) this.derivedNames.set(key, local);
      if (isPlaceholder(known.record(id).local)) known = known.with({ ...known.record(id), local });
    }
    this.states.push(known);
  }
}

export class ModelWorld {
  readonly near: ModelRepository;
  readonly far: ModelRepository;
  readonly #identities = new Map<string, ModelAddress>();
  readonly #durableIds = new Map<string, string>();

  constructor({ near, far }: { near: string; far: string }) {
    this.near = new ModelRepository(near);
    this.far = new ModelRepository(far);
  }

  otherThan(repository: ModelRepository): ModelRepository {
    return repository === this.near ? this.far : this.near;
  }

  begin(repository: ModelRepository, { mayRead }: { mayRead: boolean }): ModelCommit {
    const other = this.otherThan(repository);
    return new ModelCommit({
      repo: repository.address,
      state: repository.head,
      readable: new Map(mayRead ? [[other.address, other.head]] : []),
      durableIds: this.#identities,
      derivedNames: repository.derivedNames,
    });
  }

  durableIdOf(address: string, id: number): string | undefined {
    return this.#durableIds.get(`${address}${id}`);
  }

  learn(durableId: string, { repo, id }: ModelAddress): void {
    this.#identities.set(durableId, { repo, id });
    this.#durableIds.set(`${repo}${id}`, durableId);
  }
}
