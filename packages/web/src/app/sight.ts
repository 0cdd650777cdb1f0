// A repository as it is looked at: which, and at which sequence.
import { useLocation, useParams, useSearch } from '@tanstack/react-router';
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

// Subscriptions, their runs and credential sets belong to a repository, or to an organization itself: whose are looked at.

export interface Home {
  readonly orgName: string;
  /** null: the organization itself. */
  readonly repoName: string | null;
}

/** On any page that operates. */
export function useHome(): Home {
  const { orgName = '', repoName = null } = useParams({ strict: false });
  return useMemo(() => ({ orgName, repoName }), [orgName, repoName]);
}

/** In addresses `-`, which no repository can be called, stands for the organization itself. */
export const addressOf = ({ orgName, repoName }: Home) => ({ orgName, repoName: repoName ?? '-' });

/** For people. */
export const homeName = ({ orgName, repoName }: Home): string =>
  repoName === null ? orgName : `${orgName}/${repoName}`;

// The name that something was asked for by, when its address was replaced by the one that it has now.

declare module '@tanstack/react-router' {
  interface HistoryState {
    askedAs?: string;
  }
}

export const useAskedAs = (): string | undefined => useLocation({ select: ({ state }) => state.askedAs });
