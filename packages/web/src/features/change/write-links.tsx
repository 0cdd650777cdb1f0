import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWritable } from '../../app/may.ts';
import type { Sight } from '../../app/sight.ts';

/** What can be written from here, for who may write. */
export function WriteLinks({ sight, children }: { sight: Sight; children: ReactNode }) {
  return useWritable(sight) ? <p className="page-actions">{children}</p> : null;
}

export function AddRecordLink({ sight: { orgName, repoName }, shape }: { sight: Sight; shape?: string | undefined }) {
  return (
    <Link to="/$orgName/$repoName/new" params={{ orgName, repoName }} search={shape === undefined ? {} : { shape }}>
      Add a record
    </Link>
  );
}

export function AddShapeLink({ sight: { orgName, repoName } }: { sight: Sight }) {
  return (
    <Link to="/$orgName/$repoName/new-shape" params={{ orgName, repoName }}>
      Add a shape
    </Link>
  );
}

export function ImportLink({ sight: { orgName, repoName } }: { sight: Sight }) {
  return (
    <Link to="/$orgName/$repoName/import" params={{ orgName, repoName }}>
      Import a file
    </Link>
  );
}
