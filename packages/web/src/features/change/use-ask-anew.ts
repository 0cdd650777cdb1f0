// Whether the repository of a draft is there still, and may be written to: nobody tells the page.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { permission } from '../../app/may.ts';
import { isMissing } from '../../app/problem.ts';
import { repository, repositoryKey } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';

/** After a refusal: what the page shows then is what it would show if it were loaded anew. */
export function useAskAnew({ orgName, repoName }: Sight): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const sight = { orgName, repoName };
    const { queryKey } = repository(sight);
    await Promise.all([
      queries.invalidateQueries({ queryKey: repositoryKey(sight) }),
      queries.invalidateQueries({ queryKey: permission(sight, 'repo:write').queryKey }),
    ]);
    // What was read before would be shown still.
    if (isMissing(queries.getQueryState(queryKey)?.error)) await queries.resetQueries({ queryKey });
  }, [queries, orgName, repoName]);
}

const ASKED_EVERY_MS = 10_000;

/** While it cannot be written to, and the page is looked at. */
export function useAskAgain(sight: Sight, isStranded: boolean): void {
  const again = isStranded ? ({ refetchInterval: ASKED_EVERY_MS, refetchOnWindowFocus: 'always' } as const) : {};
  useQuery({ ...permission(sight, 'repo:write'), ...again });
  useQuery({ ...repository(sight), ...again });
}
