import type { CommitRecord, OperationResult } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { retractReasons } from './commit.ts';
import { namesAfter, summaryOf } from './operation.ts';
import { OperationRow } from './operation-row.tsx';

const FROM = '/$orgName/$repoName/commits/$repoSeq';
const OPERATIONS_A_PAGE = 100;
/** So many are looked at together. */
const FEW = 10;

interface OperationsProps {
  readonly sight: Sight;
  readonly commit: CommitRecord & { readonly operations: readonly OperationResult[] };
}

/** What a commit did, page by page. Of few operations all are open at first, of many those that were opened. */
export function Operations({ sight, commit }: OperationsProps) {
  const { operations, repoSeq } = commit;
  const { page: asked } = useSearch({ from: FROM });
  const names = useMemo(() => namesAfter(operations), [operations]);
  const { opened, toggle } = useOpened(operations.length);
  const pages = Math.max(1, Math.ceil(operations.length / OPERATIONS_A_PAGE));
  const [firstOpened = 0] = opened;
  const page = Math.min(asked ?? Math.floor(firstOpened / OPERATIONS_A_PAGE) + 1, pages);
  const first = (page - 1) * OPERATIONS_A_PAGE;
  const shown = operations.slice(first, first + OPERATIONS_A_PAGE);
  const retracts = shown
    .map(({ opIndex, operation, version }, offset) => ({
      opIndex,
      operation,
      version,
      name: names[first + offset] ?? '',
    }))
    .filter(({ operation }) => operation === 'retract');
  const reasons = useQuery(retractReasons(sight, { repoSeq, retracts }));
  return (
    <section aria-labelledby="operations">
      <h2 id="operations">
        {operations.length === 1 ? '1 operation' : `${operations.length.toLocaleString('en')} operations`}
      </h2>
      {operations.length > 1 && <p className="quiet">{summaryOf(operations)}</p>}
      {commit.message === null && <p className="quiet">Operations on what you may not see are not listed.</p>}
      <ol className="operations" start={first + 1}>
        {shown.map((operation, offset) => (
          <OperationRow
            key={operation.opIndex}
            sight={sight}
            repoSeq={repoSeq}
            operation={operation}
            nameAfter={names[first + offset] ?? operation.name}
            reason={reasons.data?.get(operation.opIndex)}
            isOften={isOften(names, first + offset)}
            isOpen={opened.includes(first + offset)}
            onToggle={() => toggle(first + offset)}
          />
        ))}
      </ol>
      {pages > 1 && <Pager page={page} pages={pages} />}
    </section>
  );
}

/** Which operations are open, as the address says it once one was opened or closed. */
function useOpened(count: number) {
  const { operation } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const isFew = count <= FEW;
  const opened = operation ?? (isFew ? Array.from({ length: count }, (_, index) => index) : []);
  const toggle = (index: number) => {
    const next = opened.includes(index) ? opened.filter((one) => one !== index) : [...opened, index];
    const isAtFirst = isFew ? next.length === count : next.length === 0;
    void navigate({
      search: ({ operation: _, ...others }) => (isAtFirst ? others : { ...others, operation: next }),
      replace: true,
      resetScroll: false,
    });
  };
  return { opened, toggle };
}

/** Whether the commit has more than one operation on the same record. */
const isOften = (names: readonly string[], index: number): boolean => {
  const name = names[index] ?? '';
  return names.indexOf(name) !== names.lastIndexOf(name);
};

function Pager({ page, pages }: { page: number; pages: number }) {
  const navigate = useNavigate({ from: FROM });
  const go = (to: number) => void navigate({ search: ({ operation: _, ...others }) => ({ ...others, page: to }) });
  return (
    <nav className="steps" aria-label="Pages of operations">
      <button type="button" className="small" disabled={page <= 1} onClick={() => go(page - 1)}>
        ‹ Page before
      </button>
      <span>
        Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
      </span>
      <button type="button" className="small" disabled={page >= pages} onClick={() => go(page + 1)}>
        Next page ›
      </button>
    </nav>
  );
}
