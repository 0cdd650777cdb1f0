import type { RecordItem } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { WriteLinks } from '../change/write-links.tsx';
import { ShapeActions } from '../shape/shape-actions.tsx';
import { StepLinks } from './step-links.tsx';

interface RecordActionsProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly isNewest: boolean;
}

/** What can be done with the record, for who may; with a shape, the same as on its own page. */
export function RecordActions({ sight, record, isNewest }: RecordActionsProps) {
  const { name, kind, active, version } = record;
  const { orgName, repoName } = sight;
  const params = { orgName, repoName, _splat: name };
  if (!isNewest) {
    // The form of a shape begins with the newest.
    if (kind === 'shape') return null;
    return (
      <WriteLinks sight={sight}>
        <Link to="/$orgName/$repoName/edit/$" params={params} search={{ version }}>
          Begin a new version with this one
        </Link>
      </WriteLinks>
    );
  }
  const say = active && (
    <Link to="/$orgName/$repoName/new" params={{ orgName, repoName }} search={{ kind: 'assertion', about: name }}>
      Say something about it
    </Link>
  );
  if (kind === 'shape') {
    return (
      <ShapeActions sight={sight} shape={record}>
        {say}
      </ShapeActions>
    );
  }
  return (
    <WriteLinks sight={sight}>
      <Link to="/$orgName/$repoName/edit/$" params={params}>
        {active ? 'Revise' : 'Bring it back'}
      </Link>
      {active && <StepLinks sight={sight} name={name} />}
      {say}
    </WriteLinks>
  );
}
