// Searches, which follow commits a moment later.
import { expect } from 'vitest';
import type { RecordPage } from '../../packages/sdk/src/index.ts';

/** Until the search finds something, and has read every commit. */
export async function waitForSearch(search: () => Promise<RecordPage>): Promise<void> {
  const isCurrent = async () => {
    const { items, repoSeq, searchedThrough = repoSeq } = await search();
    return items.length > 0 && searchedThrough === repoSeq;
  };
  await expect.poll(isCurrent).toBe(true);
}
