import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useStranded } from '../../app/may.ts';
import { repository } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { amountOf } from '../change/change.ts';
import { useDraft, useDraftOrigin } from '../change/kept-draft.ts';
import { DraftMoved } from './lost-draft.tsx';

/** What was changed and not committed, on every page but that of the draft itself. */
export function DraftBar({ sight }: { sight: Sight }) {
  const { changes } = useDraft(sight);
  const { data } = useQuery(repository(sight));
  const origin = useDraftOrigin(sight, data?.createdAt);
  const isStranded = useStranded(sight);
  const { orgName, repoName } = sight;
  const isDraft = useLocation({ select: ({ pathname }) => pathname === `/${orgName}/${repoName}/draft` });
  if (changes.length === 0) return null;
  if (origin !== undefined && data !== undefined && origin !== data.createdAt) {
    return (
      <div className="draft-bar" role="status">
        <p>Your draft is of another repository, which had this name before.</p>
        <DraftMoved sight={sight} createdAt={origin} />
        {!isDraft && <DraftLink sight={sight} />}
      </div>
    );
  }
  if (isDraft) return null;
  return (
    <div className="draft-bar" role="status">
      <p>
        {amountOf(changes)} not committed yet{isStranded && ', and cannot be now'}.
      </p>
      <DraftLink sight={sight} />
    </div>
  );
}

const DraftLink = ({ sight: { orgName, repoName } }: { sight: Sight }) => (
  <Link to="/$orgName/$repoName/draft" params={{ orgName, repoName }}>
    Review
  </Link>
);
