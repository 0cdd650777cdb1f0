import type { ShapeItem } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { Author } from '../../ui/author.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import { useRecordCount } from './use-record-count.ts';

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
          · version {version}, written by <Author createdBy={createdBy} /> <Moment at={versionCreatedAt} /> ·{' '}
        </span>
        <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: name }} search={timeOf(sight)}>
          See it as a record
        </Link>
      </p>
      {!active && (
        <p>
          It is retracted: no record of it is added any more, and those that there are stay as they are.
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
  const count = useRecordCount(sight, name);
  return count === undefined ? 'Its records' : recordsText(count);
}
