// A repository as it is looked at: which, and at which sequence.
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

export interface Sight {
  readonly orgName: string;
  readonly repoName: string;
  /** Without one, as it is now. */
  readonly at?: number | undefined;
}

/** On any page of a repository. */
export function useSight(): Sight {
  const { orgName, repoName } = useParams({ from: '/$orgName/$repoName' });
  const { at } = useSearch({ from: '/$orgName/$repoName' });
  return useMemo(() => ({ orgName, repoName, at }), [orgName, repoName, at]);
}

/** How reads are told at which sequence. */
export const atOf = ({ at }: Sight): { atRepoSeq?: number } => (at === undefined ? {} : { atRepoSeq: at });

/** What a link to another page of the repository takes along. */
export const timeOf = ({ at }: Sight): { at?: number } => (at === undefined ? {} : { at });
