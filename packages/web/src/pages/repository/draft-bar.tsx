import { Link, useLocation } from '@tanstack/react-router';
import { useDraft } from '../../app/draft.ts';
import type { Sight } from '../../app/sight.ts';
import { amountOf } from '../../data/change.ts';

/** What was changed and not committed, on every page but that of the draft itself. */
export function DraftBar({ sight }: { sight: Sight }) {
  const { changes } = useDraft(sight);
  const { orgName, repoName } = sight;
  const isDraft = useLocation({ select: ({ pathname }) => pathname === `/${orgName}/${repoName}/draft` });
  if (changes.length === 0 || isDraft) return null;
  return (
    <div className="draft-bar" role="status">
      <p>{amountOf(changes)} not committed yet.</p>
      <Link to="/$orgName/$repoName/draft" params={{ orgName, repoName }}>
        Review
      </Link>
    </div>
  );
}
