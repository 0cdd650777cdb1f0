import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';

export function CommitLink({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { orgName, repoName } = sight;
  return (
    <Link
      to="/$orgName/$repoName/commits/$repoSeq"
      params={{ orgName, repoName, repoSeq: String(repoSeq) }}
      search={timeOf(sight)}
    >
      commit {repoSeq.toLocaleString('en')}
    </Link>
  );
}
