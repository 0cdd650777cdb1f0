import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PendingPage } from '../../app/lazy-page.tsx';
import { toImport, toNewRecord, toNewShape } from '../../app/links.ts';
import { useWritable } from '../../app/may.ts';
import { Permitted } from '../../app/permitted.tsx';
import { repository, whoami } from '../../app/queries.ts';
import { homeName, type Sight } from '../../app/sight.ts';
import { Loaded, PresentOnly, useTitle } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';

interface WritableProps {
  readonly sight: Sight;
  readonly title: string;
  /** Follows the title. */
  readonly name?: string;
  readonly children: ReactNode;
}

export function Writable({ sight, title, name, children }: WritableProps) {
  useTitle(name === undefined ? title : `${title} ${name}`, homeName(sight));
  const itself = useQuery(repository(sight));
  const person = useQuery(whoami);
  return (
    <>
      <h1>
        {title} {name !== undefined && <Text>{name}</Text>}
      </h1>
      <PresentOnly>
        <Permitted place={sight} scope="repo:write">
          <Loaded query={itself} what="the repository" isPart>
            {({ archived }) => (archived ? <Archived sight={sight} /> : person.isPending ? <PendingPage /> : children)}
          </Loaded>
        </Permitted>
      </PresentOnly>
    </>
  );
}

const Archived = ({ sight: { orgName, repoName } }: { sight: Sight }) => (
  <p>
    {orgName}/{repoName} is archived and read-only. To write to it, unarchive it in its settings.
  </p>
);

export const WriteLinks = ({ sight, children }: { sight: Sight; children: ReactNode }) =>
  useWritable(sight) ? <p className="page-actions">{children}</p> : null;

export const AddRecordLink = ({ sight, shape }: { sight: Sight; shape?: string | undefined }) => (
  <Link {...toNewRecord(sight, shape === undefined ? {} : { shape })}>Add a record</Link>
);

export const AddShapeLink = ({ sight }: { sight: Sight }) => <Link {...toNewShape(sight)}>Add a shape</Link>;
export const ImportLink = ({ sight }: { sight: Sight }) => <Link {...toImport(sight)}>Import a file</Link>;
