// A list as pages show it: the first page, and the next ones when they are asked for.
import type { List } from '@cairn/sdk';
import { infiniteQueryOptions } from '@tanstack/react-query';

const ITEMS_A_PAGE = 50;

interface Asked {
  readonly signal: AbortSignal;
  readonly limit: number;
  readonly cursor?: string;
}

export const paged = <Item>(queryKey: readonly unknown[], list: (asked: Asked) => List<Item>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      list({ signal, limit: ITEMS_A_PAGE, ...(pageParam !== '' && { cursor: pageParam }) }).page(),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
