/** Every item of a list, page after page; for lists that are short by their nature. */
export async function allItems<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items;
}
