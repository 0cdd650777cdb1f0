import type { DeclaredField } from '@cairn/model/declaration';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { waitMsOf } from '../../app/problem.ts';
import { useSight } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { Loaded, ProblemPage } from '../../ui/page.tsx';
import { retractedCount } from '../shape/shape.ts';
import { AlsoRetracted, NoRecords } from './no-records.tsx';
import { RecordTable, TooMany } from './record-table.tsx';
import { filterOf, type RecordRows } from './records.ts';
import { isNarrowed, useChoice } from './use-choice.ts';
import { orderWords } from './where.ts';

interface FoundRecordsProps {
  readonly rows: UseQueryResult<RecordRows>;
  readonly fields: readonly DeclaredField[];
  readonly isTold: boolean;
}

export function FoundRecords({ rows, fields, isTold }: FoundRecordsProps) {
  const goesOnAt = useGoesOnAt(rows);
  if (rows.isError && isTold) return null;
  if (goesOnAt !== undefined && rows.data === undefined) return <TooMany goesOnAt={goesOnAt} />;
  if (rows.isError && rows.data === undefined) {
    return <ProblemPage error={rows.error} reset={() => void rows.refetch()} isPart />;
  }
  return (
    <Loaded query={rows} what="records" isPart>
      {(found) => (
        <FoundTable
          found={found}
          fields={fields}
          isOld={rows.isPlaceholderData}
          onBehind={() => !rows.isError && void rows.refetch({ cancelRefetch: false })}
        />
      )}
    </Loaded>
  );
}

function useGoesOnAt({ failureReason, failureCount }: UseQueryResult<RecordRows>): number | undefined {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure begins the wait anew.
  return useMemo(() => {
    const waitMs = waitMsOf(failureReason);
    return waitMs === undefined ? undefined : Date.now() + waitMs;
  }, [failureReason, failureCount]);
}

interface FoundTableProps extends Pick<FoundRecordsProps, 'fields'> {
  readonly found: RecordRows;
  readonly isOld: boolean;
  readonly onBehind: () => void;
}

function FoundTable({ found, fields, isOld, onBehind }: FoundTableProps) {
  const { search } = useChoice();
  const { source } = found;
  useSyncExternalStore(source.subscribe, source.version);
  const { total } = source;
  const retracted = useRetractedCount(found, isOld);
  const count = total === undefined ? 'Counting…' : recordsText(total);
  const told = (
    <p role="status">
      {isOld ? 'Loading…' : count} <Behind found={found} />
    </p>
  );
  if (total !== 0) {
    return (
      <RecordTable rows={found} isOld={isOld} onBehind={onBehind}>
        {told}
        <p className="quiet">
          Order: {orderWords(search).toLowerCase()}. Change it under Filters. Sorting by field is not available.
        </p>
        {!isOld && <AlsoRetracted count={retracted} />}
      </RecordTable>
    );
  }
  return (
    <>
      <div className="row-bar">{told}</div>
      {!isOld && <NoRecords fields={fields} retracted={retracted} />}
    </>
  );
}

function useRetractedCount({ source, searchedThrough }: RecordRows, isOld: boolean): number {
  const sight = useSight();
  const { search } = useChoice();
  const isLacking = search.q !== undefined || (source.total === 0 && isNarrowed(search));
  const isAsked = isLacking && search.retracted !== true && !isOld;
  return useQuery({ ...retractedCount(sight, filterOf(search), searchedThrough), enabled: isAsked }).data ?? 0;
}

function Behind({ found: { searchedThrough, repoSeq, isBehind } }: { found: RecordRows }) {
  if (searchedThrough !== undefined && searchedThrough < repoSeq) {
    return (
      <span className="quiet">
        The search index covers {searchedThrough.toLocaleString('en')} of {repoSeq.toLocaleString('en')} commits so far.
      </span>
    );
  }
  if (!isBehind) return null;
  return <span className="quiet">Rows are ordered as of sequence {repoSeq.toLocaleString('en')}.</span>;
}
