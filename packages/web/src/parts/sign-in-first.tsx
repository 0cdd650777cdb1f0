import { useLocation } from '@tanstack/react-router';

/** Instead of a form, to who is not signed in. */
export function SignInFirst({ what }: { what: string }) {
  const address = useLocation({ select: ({ href }) => href });
  return (
    <p>
      <a href={`/auth/sign-in?next=${encodeURIComponent(address)}`}>Sign in</a> to {what}.
    </p>
  );
}
