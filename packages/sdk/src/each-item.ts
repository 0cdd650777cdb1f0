import type { Page } from '@cairn/protocol/page';

/**
 * The items of any list, one after the other; a page is asked for when the one before is used up.
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
