import { Link } from '@tanstack/react-router';

/** That retracted records would fit, and the way to them. */
export function AlsoRetracted({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="quiet">
      {count === 1 ? '1 retracted record' : `${count.toLocaleString('en')} retracted records`} would fit:{' '}
      <Link
        from="/$orgName/$repoName/records"
        to="."
        search={(before) => ({ ...before, retracted: true as const })}
        resetScroll={false}
      >
        show {count === 1 ? 'it' : 'them'}
      </Link>
    </p>
  );
}
