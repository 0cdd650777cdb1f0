import type { ShapeItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';
import { description } from '../../data/queries.ts';
import { Author } from '../../parts/author.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Text } from '../../parts/text.tsx';

/** How many records it has, and when it was changed last. */
export function ShapeFacts({ sight, shape }: { sight: Sight; shape: ShapeItem }) {
  const { orgName, repoName } = sight;
  const { name, version, createdBy, versionCreatedAt, active, reason } = shape;
  return (
    <>
      <p>
        <Link
          to="/$orgName/$repoName/records"
          params={{ orgName, repoName }}
          search={{ shape: name, ...timeOf(sight) }}
        >
          <RecordCount sight={sight} name={name} />
        </Link>
        <span className="quiet">
          {' '}
          · version {version}, written by <Author createdBy={createdBy} /> <Moment at={versionCreatedAt} />
        </span>
      </p>
      {!active && (
        <p>
          It was retracted: no record of it is written any more, and those that there are stay.
          {reason !== undefined && (
            <>
              {' '}
              Reason: <Text>{reason}</Text>
            </>
          )}
        </p>
      )}
    </>
  );
}

function RecordCount({ sight, name }: { sight: Sight; name: string }) {
  const { data } = useQuery(description(sight));
  const count = data?.shapes.find((shape) => shape.name === name)?.count;
  if (count === undefined) return 'Its records';
  return count === 1 ? '1 record' : `${count.toLocaleString('en')} records`;
}
