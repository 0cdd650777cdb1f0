import type { RepositoryDescription, ShapeDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toRecords } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { ScrolledTable } from '../../ui/list.tsx';
import { ShowMore, Text, usePortion } from '../../ui/text.tsx';
import { hasOthers, othersIn, shapeCounts } from './shape.ts';
import { ShapeLink } from './shape-link.tsx';

interface ShapeTableProps {
  readonly sight: Sight;
  readonly described: Pick<RepositoryDescription, 'shapes' | 'counts'>;
  readonly hasVersion?: boolean;
  readonly most?: number;
}

export function ShapeTable({ sight, described, hasVersion = false, most }: ShapeTableProps) {
  const { shapes } = described;
  const counted = useQuery({ ...shapeCounts(sight), enabled: hasOthers(described) });
  const retracted = hasOthers(described) ? othersIn(counted.data ?? [], shapes) : [];
  const { shown, left, more } = usePortion(shapes, most);
  if (shapes.length === 0 && retracted.length === 0) {
    return <p className="quiet">There are no shapes {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>;
  }
  return (
    <>
      <ScrolledTable
        label="Table of shapes"
        heads={['Shape', 'Records', ...(hasVersion ? ['Version'] : []), 'Description']}
      >
        {shown.map((shape) => (
          <ShapeRow key={shape.name} sight={sight} shape={shape} hasVersion={hasVersion} />
        ))}
        {retracted.map((shape) => (
          <ShapeRow key={shape.name} sight={sight} shape={shape} hasVersion={hasVersion} isRetracted />
        ))}
      </ScrolledTable>
      <ShowMore left={left} more={more} what="shapes" />
    </>
  );
}

interface ShapeRowProps {
  readonly sight: Sight;
  readonly shape: Pick<ShapeDescription, 'name' | 'count'> & Partial<ShapeDescription>;
  readonly isRetracted?: boolean;
  readonly hasVersion?: boolean;
}

function ShapeRow({ sight, shape, hasVersion = false, isRetracted = false }: ShapeRowProps) {
  const { changed } = useLive();
  const { name, count, version, description } = shape;
  return (
    <tr className={changed.has(name) ? 'changed' : undefined}>
      <th scope="row">
        <ShapeLink sight={sight} name={name} /> {isRetracted && <span className="label">retracted</span>}
      </th>
      <td>
        <Link
          {...toRecords(sight, { shape: name })}
          aria-label={`${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'} of ${name}`}
        >
          {count.toLocaleString('en')}
        </Link>
      </td>
      {hasVersion && <td>{version}</td>}
      <td>
        {isRetracted && 'Records remain, but no new ones can be added.'}
        {description !== undefined && <Text>{description}</Text>}
      </td>
    </tr>
  );
}
