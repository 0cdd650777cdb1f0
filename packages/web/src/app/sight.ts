// A repository at a sequence.
import { useLocation, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';

export interface RepositoryName {
  readonly orgName: string;
  readonly repoName: string;
}

export interface Sight extends RepositoryName {
  readonly at?: number | undefined;
}

export function useSight(): Sight {
  const { orgName, repoName } = useParams({ from: '/$orgName/$repoName' });
  const { at } = useSearch({ from: '/$orgName/$repoName' });
  return useMemo(() => ({ orgName, repoName, at }), [orgName, repoName, at]);
}

export const atOf = ({ at }: Sight): { atRepoSeq?: number } => (at === undefined ? {} : { atRepoSeq: at });
export const timeOf = ({ at }: Sight): { at?: number } => (at === undefined ? {} : { at });

export const whenText = ({ at }: Sight): string => (at === undefined ? '' : ` at sequence ${at.toLocaleString('en')}`);

export interface Home {
  readonly orgName: string;
  readonly repoName: string | null;
}

export function useHome(): Home {
  const { orgName = '', repoName = null } = useParams({ strict: false });
  return useMemo(() => ({ orgName, repoName }), [orgName, repoName]);
}

/** In addresses `-`, which no repository can be called, stands for the organization itself. */
export const addressOf = ({ orgName, repoName }: Home) => ({ orgName, repoName: repoName ?? '-' });

export const homeName = ({ orgName, repoName }: Home): string =>
  repoName === null ? orgName : `${orgName}/${repoName}`;

declare module '@tanstack/react-router' {
  interface HistoryState {
    askedAs?: string;
  }
}

export const useAskedAs = (): string | undefined => useLocation({ select: ({ state }) => state.askedAs });
