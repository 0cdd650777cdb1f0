import type { Sight } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { useRecordCount } from '../shape/use-record-count.ts';

/** What becomes of the records of a shape that is to be retracted. */
export function ItsRecords({ sight, shapeName }: { sight: Sight; shapeName: string }) {
  const count = useRecordCount(sight, shapeName);
  if (count === undefined || count === 0) return null;
  return (
    <>
      {' '}
      It has {recordsText(count)}. What is there stays, is found, and can be revised; nothing is added until the shape
      is brought back.
    </>
  );
}
