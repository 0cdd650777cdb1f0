// Waits for searches, because the index follows commits with a delay.
import { expect } from 'vitest';
import type { RecordPage } from '../../packages/sdk/src/index.ts';

/** Waits until the search has a result and the index has read every commit. */
export async function waitForSearch(search: () => Promise<RecordPage>): Promise<void> {
  const isCurrent = async () => {
    const { items, repoSeq, searchedThrough = repoSeq } = await search();
    return items.length > 0 && searchedThrough === repoSeq;
  };
  await expect.poll(isCurrent).toBe(true);
}
