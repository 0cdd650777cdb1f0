// Counts the words of texts, and writes the counts.
import type { CairnClient, RecordItem } from '@cairn/sdk';
import { eachItem } from '@cairn/sdk';

export interface Repository {
  readonly client: CairnClient;
  readonly orgName: string;
  readonly repoName: string;
}

export function wordsOf({ data }: RecordItem, minLength = 1): number {
  const text = String((data as { text?: unknown }).text);
  return text.split(/\s+/).filter((word) => word.length >= Math.max(1, minLength)).length;
}

/**
 * Takes names of texts, such as `Text/welcome`. It counts their current words, so the order of deliveries does not
 * matter.
 */
export async function writeCounts(repository: Repository, names: readonly string[]): Promise<number> {
  const { client, orgName, repoName } = repository;
  if (names.length === 0) return 0;
  const counts = names.map((name) => name.replace(/^Text\//, 'WordCount/'));
  const { items } = await client.thing.getMany(orgName, repoName, [...names, ...counts]);
  const operations = names.flatMap((of, index) => {
    const [text, counted] = [items[index], items[names.length + index]];
    // The text may have been retracted by now.
    if (!text) return [];
    const data = { of, words: wordsOf(text) };
    return [{ operation: counted ? 'revise' : 'add', name: counts[index] ?? '', data }];
  });
  if (operations.length > 0) await client.commit.submit(orgName, repoName, { message: 'Words of texts', operations });
  return operations.length;
}

const BATCH = 100;

export async function recount(repository: Repository, match: string): Promise<number> {
  const { client, orgName, repoName } = repository;
  const texts = eachItem((cursor) =>
    client.thing.head(orgName, repoName, { shape: 'Text', match: `Text/${match}`, limit: BATCH, cursor }),
  );
  const names: string[] = [];
  for await (const { name } of texts) names.push(name);
  let counted = 0;
  for (let at = 0; at < names.length; at += BATCH) {
    counted += await writeCounts(repository, names.slice(at, at + BATCH));
  }
  return counted;
}
