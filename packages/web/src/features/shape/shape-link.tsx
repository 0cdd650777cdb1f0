import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';

/** To a shape, at the sequence that is looked at. */
export function ShapeLink({ sight, name, children = name }: { sight: Sight; name: string; children?: string }) {
  const { orgName, repoName } = sight;
  return (
    <Link
      to="/$orgName/$repoName/shapes/$shapeName"
      params={{ orgName, repoName, shapeName: name }}
      search={timeOf(sight)}
    >
      <Text>{children}</Text>
    </Link>
  );
}
