import { Link } from '@tanstack/react-router';
import { useTitle } from '../ui/title.ts';

export function UnknownPage() {
  useTitle('Nothing is here');
  return (
    <section className="problem" role="alert">
      <h1>Nothing is here</h1>
      <p>
        The address may be misspelled, or what was here is gone. <Link to="/">See what there is</Link>.
      </p>
    </section>
  );
}
