import { SignInLink } from './sign-in-link.tsx';

/** Instead of a form, to who is not signed in. */
export function SignInFirst({ what }: { what: string }) {
  return (
    <p>
      <SignInLink /> to {what}.
    </p>
  );
}
