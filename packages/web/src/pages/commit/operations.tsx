import type { CommitRecord, OperationResult } from '@cairn/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { namesAfter, summaryOf } from '../../data/operation.ts';
import { OperationRow } from './operation-row.tsx';

const FROM = '/$orgName/$repoName/commits/$repoSeq';
const OPERATIONS_A_PAGE = 100;

interface OperationsProps {
  readonly sight: Sight;
  readonly commit: CommitRecord & { readonly operations: readonly OperationResult[] };
}

/** What a commit did, page by page; one operation at a time is open. */
export function Operations({ sight, commit }: OperationsProps) {
  const { operations, repoSeq } = commit;
  const { operation: opened, page: asked } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const names = useMemo(() => namesAfter(operations), [operations]);
  const pages = Math.max(1, Math.ceil(operations.length / OPERATIONS_A_PAGE));
  const openedPage = opened === undefined ? 1 : Math.floor(opened / OPERATIONS_A_PAGE) + 1;
  const page = Math.min(asked ?? openedPage, pages);
  const first = (page - 1) * OPERATIONS_A_PAGE;
  const toggle = (index: number) =>
    void navigate({
      search: ({ operation, ...others }) => (operation === index ? others : { ...others, operation: index }),
      replace: true,
      resetScroll: false,
    });
  return (
    <section aria-labelledby="operations">
      <h2 id="operations">
        {operations.length === 1 ? '1 operation' : `${operations.length.toLocaleString('en')} operations`}
      </h2>
      {operations.length > 1 && <p className="quiet">{summaryOf(operations)}</p>}
      {commit.message === null && <p className="quiet">Operations on what you may not see are not listed.</p>}
      <ol className="operations" start={first + 1}>
        {operations.slice(first, first + OPERATIONS_A_PAGE).map((operation, offset) => (
          <OperationRow
            key={operation.opIndex}
            sight={sight}
            repoSeq={repoSeq}
            operation={operation}
            nameAfter={names[first + offset] ?? operation.name}
            isOften={isOften(names, first + offset)}
            isOpen={opened === first + offset}
            onToggle={() => toggle(first + offset)}
          />
        ))}
      </ol>
      {pages > 1 && <Pager page={page} pages={pages} />}
    </section>
  );
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
