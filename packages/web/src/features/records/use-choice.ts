import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { inTime, type RecordsChange, type RecordsSearch, recordsSearch } from '../../app/search.ts';

export type Choose = (change: RecordsChange) => void;

export function useChoice(): { readonly search: RecordsSearch; readonly choose: Choose } {
  const said = useSearch({ from: '/$orgName/$repoName/records' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/records' });
  const search = useMemo(() => recordsSearch({ ...said }), [said]);
  const choose = useCallback(
    (change: RecordsChange) =>
      void navigate({
        to: '.',
        search: (before) => ({ ...inTime({ ...before }), ...recordsSearch({ ...before, ...change }) }),
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, choose };
}

export function useGoToNow(): () => void {
  const navigate = useNavigate();
  return () => void navigate({ to: '.', search: ({ at: _, ...others }) => others, resetScroll: false });
}

export const isNarrowed = ({ shape, kind, q, where }: RecordsSearch): boolean =>
  [shape, kind, q, where].some((one) => one !== undefined);

export const ALL: RecordsChange = {
  shape: undefined,
  kind: undefined,
  q: undefined,
  where: undefined,
  retracted: undefined,
};
