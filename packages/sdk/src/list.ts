import type { Page } from '@cairn/protocol/page';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Call, CallOptions } from './transport.ts';

/**
 * Yields the items of any list, in order. The next page is requested once the current one is used up.
 *
 * @example
 * for await (const commit of eachItem((cursor) => client.commit.log('acme', 'world', { cursor }))) {
 *   console.log(commit.repoSeq, commit.message);
 * }
 */
export async function* eachItem<Item>(
  list: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await list(cursor);
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/**
 * A list. Awaiting it gives its first page. Iterating over it gives every item, and requests the next page once the
 * current one is used up. Nothing is sent before that. `limit` is the page size, and `cursor` the start position.
 *
 * @example
 * const { items, nextCursor } = await client.thing.head('acme', 'world', { limit: 10 });
 * for await (const { name } of client.thing.head('acme', 'world')) console.log(name);
 * for await (const page of client.thing.head('acme', 'world').pages()) console.log(page.repoSeq, page.items.length);
 * const { repoSeq } = await client.thing.head('acme', 'world').page();
 * const size = await client.thing.head('acme', 'world').then((page) => page.items.length);
 * const found = await client.thing.head('acme', 'nowhere').catch(() => undefined);
 * await client.thing.head('acme', 'world').finally(() => console.log('It is over.'));
 */
export class List<Item, Got extends Page<Item> = Page<Item>> implements Promise<Got>, AsyncIterable<Item> {
  readonly #ask: (cursor: string | undefined) => Promise<Got>;
  #first: Promise<Got> | undefined;

  constructor(ask: (cursor: string | undefined) => Promise<Got>) {
    this.#ask = ask;
  }

  get [Symbol.toStringTag](): string {
    return 'List';
  }

  /** Returns the first page. Awaiting the list does the same. */
  page(): Promise<Got> {
    this.#first ??= this.#ask(undefined);
    return this.#first;
  }

  /** Yields every page, in order. */
  async *pages(): AsyncGenerator<Got, void, undefined> {
    let page = await this.page();
    for (;;) {
      yield page;
      if (page.nextCursor === undefined) return;
      page = await this.#ask(page.nextCursor);
    }
  }

  /** Yields every item, and requests further pages as needed. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    return eachItem((cursor) => (cursor === undefined ? this.page() : this.#ask(cursor)));
  }

  /** Lets `await` return the first page. */
  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for.
  then<Result = Got, Failure = never>(
    onPage?: ((page: Got) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.page().then(onPage, onError);
  }

  /** Like `catch` of any promise, for the first page. */
  catch<Result = never>(onError?: ((error: unknown) => Result | PromiseLike<Result>) | null): Promise<Got | Result> {
    return this.page().catch(onError);
  }

  /** Like `finally` of any promise, for the first page. */
  finally(onEnd?: (() => void) | null): Promise<Got> {
    return this.page().finally(onEnd);
  }
}

/** The page in the output of a list procedure. Those of records can also answer with a count. */
type PageOf<Name extends ProcedureName> = Extract<ProcedureOutput<Name>, Page<unknown>>;

export function listOf<Name extends ProcedureName>(
  call: Call,
  name: Name,
  input: CallOptions & ProcedureInput<Name> & { readonly cursor?: string | undefined },
): List<PageOf<Name>['items'][number], PageOf<Name>> {
  return new List((cursor = input.cursor) => call(name, { ...input, cursor }) as Promise<PageOf<Name>>);
}
