import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { record } from './record.ts';

interface NameNoteProps {
  readonly sight: Sight;
  readonly durableId: string;
  /** What it is called at the sequence that is looked at. */
  readonly name: string;
  /** The name in the address, where that is another. */
  readonly askedAs: string | undefined;
}

/** Of what has more than one name: what it is called now, for who looks at the past, and was called, for who asks by an old name. */
export function NameNote({ sight, durableId, name, askedAs }: NameNoteProps) {
  const { orgName, repoName } = sight;
  const isPast = sight.at !== undefined;
  const now = useQuery({ ...record({ orgName, repoName }, durableId), enabled: isPast });
  if (!isPast) {
    if (askedAs === undefined) return null;
    return (
      <p className="quiet">
        It was called <Text>{askedAs}</Text> before.
      </p>
    );
  }
  const present = now.data?.name;
  if (present === undefined || present === name) return null;
  return (
    <p className="quiet">
      It is called{' '}
      {present.includes('/') ? (
        <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: present }}>
          <Text>{present}</Text>
        </Link>
      ) : (
        <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: present }}>
          <Text>{present}</Text>
        </Link>
      )}{' '}
      now.
    </p>
  );
}
