import { Link } from '@tanstack/react-router';
import { addressOf, type Home } from '../app/home.ts';
import { type Detail, detailsOf } from './detail.ts';
import { Text } from './text.tsx';

interface DetailsProps {
  readonly details: Readonly<Record<string, unknown>>;
  /** Where the runs are that it tells of. */
  readonly home?: Home;
}

/** What else is known of something that happened. */
export function Details({ details, home }: DetailsProps) {
  const all = detailsOf(details);
  if (all.length === 0) return null;
  return (
    <p className="quiet">
      {all.map((detail, index) => (
        <span key={detail.label}>
          {index > 0 && '; '}
          <OneDetail detail={detail} home={home} />
        </span>
      ))}
    </p>
  );
}

function OneDetail({ detail: { name, label, text }, home }: { detail: Detail; home: Home | undefined }) {
  if (name === 'runId' && home !== undefined) {
    return (
      <>
        run:{' '}
        <Link to="/$orgName/$repoName/operate/runs/$runId" params={{ ...addressOf(home), runId: text }} search={{}}>
          <Text>{text}</Text>
        </Link>
      </>
    );
  }
  return (
    <>
      <Text>{label}</Text>: <Text most={2_000}>{text}</Text>
    </>
  );
}
