import type { RecordItem } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { useWritable } from '../../app/may.ts';
import type { Sight } from '../../app/sight.ts';
import { StepLinks } from './step-links.tsx';

interface RecordActionsProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly isNewest: boolean;
}

/** What can be done with the record, for who may. */
export function RecordActions({ sight, record: { name, kind, active, version }, isNewest }: RecordActionsProps) {
  const isWritable = useWritable(sight);
  if (!isWritable) return null;
  const { orgName, repoName } = sight;
  const params = { orgName, repoName, _splat: name };
  if (!isNewest) {
    // The form of a shape begins with the newest.
    if (kind === 'shape') return null;
    return (
      <p className="page-actions">
        <Link to="/$orgName/$repoName/edit/$" params={params} search={{ version }}>
          Begin a new version with this one
        </Link>
      </p>
    );
  }
  return (
    <p className="page-actions">
      <Link to="/$orgName/$repoName/edit/$" params={params}>
        {active ? 'Revise' : 'Bring it back'}
      </Link>
      {active && (
        <>
          <StepLinks sight={sight} name={name} />
          <Link to="/$orgName/$repoName/new" params={{ orgName, repoName }} search={{ kind: 'assertion', about: name }}>
            Say something about it
          </Link>
        </>
      )}
    </p>
  );
}
