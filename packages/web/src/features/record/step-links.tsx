import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';

/** To what is done to a record, or to a shape, beside new data. */
export function StepLinks({ sight: { orgName, repoName }, name }: { readonly sight: Sight; readonly name: string }) {
  const params = { orgName, repoName, _splat: name };
  return (
    <>
      <Link to="/$orgName/$repoName/edit/$" params={params} search={{ step: 'rename' }}>
        Rename
      </Link>
      <Link to="/$orgName/$repoName/edit/$" params={params} search={{ step: 'retract' }}>
        Retract
      </Link>
    </>
  );
}
