import { type InvalidateOptions, type InvalidateQueryFilters, QueryClient, type QueryKey } from '@tanstack/react-query';
import { isWorthRetrying, waitMsOf } from './problem.ts';

/**
 * An answer that is under way when something is written may be from before, and would then stay: it is asked for again once it
 * is there. (By themselves queries are asked for again at once, and those whose first answer is awaited not at all.)
 */
class Queries extends QueryClient {
  override async invalidateQueries<Tagged extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Tagged>,
    options: InvalidateOptions = {},
  ): Promise<void> {
    const underWay = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: 'fetching' })
      .filter(({ state }) => state.data === undefined || options.cancelRefetch === false);
    const afterwards = underWay.map(async (query) => {
      await query.promise?.catch(() => undefined);
      await super.invalidateQueries({ predicate: (other) => other === query }, { ...options, cancelRefetch: false });
    });
    await Promise.all([super.invalidateQueries(filters, options), ...afterwards]);
  }
}

export const createQueryClient = (): QueryClient =>
  new Queries({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (count, error) => count < 2 && isWorthRetrying(error),
        retryDelay: (count, error) => waitMsOf(error) ?? 1_000 * 2 ** count,
      },
    },
  });
