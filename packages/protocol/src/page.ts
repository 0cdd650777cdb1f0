// Pagination: the shared input and output of all lists.
import { z } from 'zod';

export const pageInput = {
  limit: z.int().min(1).max(500).default(50).describe('Maximum number of items on a page.'),
  cursor: z.string().max(4_096).optional().describe('The nextCursor of the previous page; keep all other input.'),
};

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Absent on the last page. */
  nextCursor?: string | undefined;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().optional().describe('Absent on the last page.'),
  });
}
