import type { ShapeDescription } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../app/live.tsx';
import { type Sight, timeOf } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { ShapeLink } from './shape-link.tsx';

interface ShapeRowProps {
  readonly sight: Sight;
  readonly shape: Pick<ShapeDescription, 'name' | 'count'> & Partial<ShapeDescription>;
  readonly isRetracted?: boolean;
  readonly hasVersion?: boolean;
}

/** A shape in a table: its name leads to its fields, and the number to its records. */
export function ShapeRow({ sight, shape, hasVersion = false, isRetracted = false }: ShapeRowProps) {
  const { orgName, repoName } = sight;
  const { changed } = useLive();
  const { name, count, version, description } = shape;
  return (
    <tr className={changed.has(name) ? 'changed' : undefined}>
      <th scope="row">
        <ShapeLink sight={sight} name={name} /> {isRetracted && <span className="label">retracted</span>}
      </th>
      <td>
        <Link
          to="/$orgName/$repoName/records"
          params={{ orgName, repoName }}
          search={{ shape: name, ...timeOf(sight) }}
          aria-label={`${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'} of ${name}`}
        >
          {count.toLocaleString('en')}
        </Link>
      </td>
      {hasVersion && <td>{version}</td>}
      <td>
        {isRetracted && 'Its records stay, and none is added any more.'}
        {description !== undefined && <Text>{description}</Text>}
      </td>
    </tr>
  );
}
