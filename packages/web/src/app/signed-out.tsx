import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SignInLink } from '../ui/sign-in-link.tsx';
import { useHasBegun } from './begun.ts';
import { lookAgain, useSession } from './session.ts';

/** Said above every page whose session has ended elsewhere, until somebody is signed in again: then all is asked for anew. */
export function SignedOut() {
  const queries = useQueryClient();
  const { isEnded, turn } = useSession();
  const hasBegun = useHasBegun();
  useEffect(() => {
    if (turn > 0) void queries.invalidateQueries();
  }, [queries, turn]);
  useEffect(() => {
    const look = () => void lookAgain();
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  if (!isEnded) return null;
  return (
    <p className="signed-out" role="alert">
      You are signed out. <SignInLink />, and go on{hasBegun && ': your changes are kept'}.{' '}
      <button type="button" className="small" onClick={() => window.location.reload()}>
        Look on without
      </button>
    </p>
  );
}
