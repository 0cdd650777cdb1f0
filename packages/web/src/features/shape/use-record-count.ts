import { useQuery } from '@tanstack/react-query';
import { description } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { shapeCounts } from './record-count.ts';

/** How many records a shape has, retracted or not; undefined until it is known. */
export function useRecordCount(sight: Sight, name: string): number | undefined {
  const described = useQuery(description(sight)).data?.shapes;
  const own = described?.find((shape) => shape.name === name);
  const counted = useQuery({ ...shapeCounts(sight), enabled: described !== undefined && own === undefined });
  if (own !== undefined) return own.count;
  return counted.data === undefined ? undefined : (counted.data.find((shape) => shape.name === name)?.count ?? 0);
}
