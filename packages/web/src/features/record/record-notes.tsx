import type { RecordItem } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';

interface RecordNotesProps {
  readonly sight: Sight;
  readonly record: RecordItem;
  readonly newest: Pick<RecordItem, 'version' | 'active' | 'reason'>;
}

/** What must be known to read the data rightly. */
export function RecordNotes({ sight, record, newest }: RecordNotesProps) {
  const { orgName, repoName } = sight;
  return (
    <>
      {record.version !== newest.version && (
        <p className="record-note">
          This is version {record.version}, not the newest. {!newest.active && <Retraction newest={newest} />}
          <Link
            to="/$orgName/$repoName/record/$"
            params={{ orgName, repoName, _splat: record.name }}
            search={timeOf(sight)}
          >
            See version {newest.version}, the newest{sight.at !== undefined && ' at this sequence'}
          </Link>
        </p>
      )}
      {!record.active && (
        <p className="record-note">
          It is retracted: lists leave it out, and its last data is kept here.{' '}
          {record.reason !== undefined && (
            <>
              The reason: <Text>{record.reason}</Text>
            </>
          )}
        </p>
      )}
      {record.purged && (
        <p className="record-note">
          Its data was removed for good (purged), and nobody can read it any more. The hash of what it was stays.
        </p>
      )}
    </>
  );
}

function Retraction({ newest: { version, reason } }: Pick<RecordNotesProps, 'newest'>) {
  return (
    <strong>
      Version {version} retracted it
      {reason !== undefined && (
        <>
          : <Text>{reason}</Text>
        </>
      )}
      .{' '}
    </strong>
  );
}
