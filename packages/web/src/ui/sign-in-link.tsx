import { useLocation } from '@tanstack/react-router';
import { leaveBegun } from '../app/begun.ts';

/** Comes back to this page. */
export function SignInLink({ children = 'Sign in' }: { children?: string }) {
  const address = useLocation({ select: ({ href }) => href });
  return (
    <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`} onClick={leaveBegun}>
      {children}
    </a>
  );
}
