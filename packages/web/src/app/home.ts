// Subscriptions, their runs and credential sets belong to a repository, or to an organization itself: whose are looked at.
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';

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
