import { definitionOf } from '@cairn/model/declaration';
import { isJsonObject } from '@cairn/model/json';
import { pinWref } from '@cairn/model/wref';
import type { CommitRecord, OperationResult, RecordDiff } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId, useMemo } from 'react';
import type { Sight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/page.tsx';
import { LongText, Section, Text } from '../../ui/text.tsx';
import { PerhapsHidden, RecordLink } from '../record/record-link.tsx';
import { Value } from '../record/value.tsx';
import { FieldTable } from '../shape/field-table.tsx';
import { Arrow } from '../shape/shape-link.tsx';
import { ShapeChanges } from '../shape/version-change.tsx';
import { changeIn, doneBy, namesAfter, retractReasons, summaryOf } from './commit.ts';
import { counted } from './commit-list.tsx';
import { Differences } from './difference.tsx';

const FROM = '/$orgName/$repoName/commits/$repoSeq';
const OPERATIONS_A_PAGE = 100;
const FEW = 10;

interface OperationsProps {
  readonly sight: Sight;
  readonly commit: CommitRecord & { readonly operations: readonly OperationResult[] };
}

/** Small commits open all operations at first. */
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
    .map((operation, offset) => ({ ...operation, name: names[first + offset] ?? '' }))
    .filter(({ operation }) => operation === 'retract');
  const reasons = useQuery(retractReasons(sight, { repoSeq, retracts }));
  return (
    <Section id="operations" title={counted(operations.length)}>
      {operations.length > 1 && <p className="quiet">{summaryOf(operations)}</p>}
      {commit.message === null && <p className="quiet">Operations on records that you cannot see are not listed.</p>}
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
    </Section>
  );
}

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

const isOften = (names: readonly string[], index: number): boolean => {
  const name = names[index] ?? '';
  return names.indexOf(name) !== names.lastIndexOf(name);
};

function Pager({ page, pages }: { page: number; pages: number }) {
  const navigate = useNavigate({ from: FROM });
  const go = (to: number) => void navigate({ search: ({ operation: _, ...others }) => ({ ...others, page: to }) });
  return (
    <nav className="steps" aria-label="Pages of operations">
      <SmallButton disabled={page <= 1} onClick={() => go(page - 1)}>
        ‹ Previous page
      </SmallButton>
      <span>
        Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
      </span>
      <SmallButton disabled={page >= pages} onClick={() => go(page + 1)}>
        Next page ›
      </SmallButton>
    </nav>
  );
}

interface OperationRowProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly operation: OperationResult;
  readonly nameAfter: string;
  readonly reason: string | undefined;
  readonly isOften: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function OperationRow(props: OperationRowProps) {
  const { sight, repoSeq, operation, nameAfter, reason, isOften, isOpen, onToggle } = props;
  const id = useId();
  const { kind, name, submittedName, version } = operation;
  const done = doneBy(operation);
  return (
    <li>
      <div className="operation">
        <SmallButton
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={`Changes in ${name}`}
          onClick={onToggle}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        </SmallButton>
        <span className={`done ${operation.operation}`}>{done}</span>
        <span className="name">
          {operation.operation === 'rename' && submittedName !== undefined && (
            <>
              <Text>{submittedName}</Text>
              <Arrow />
            </>
          )}
          <RecordLink wref={nameAfter}>{name}</RecordLink>
        </span>
        <span className="quiet">
          {kind}
          {version !== undefined && (
            <>
              , <RecordLink wref={pinWref(nameAfter, version)}>{`version ${version}`}</RecordLink>
            </>
          )}
        </span>
        {reason !== undefined && (
          <span className="reason">
            Reason: <Text>{reason}</Text>
          </span>
        )}
      </div>
      {isOpen && (
        <div id={id} className="change">
          {isOften && (
            <p className="quiet">This commit changed the record more than once. These are the combined changes.</p>
          )}
          <OperationChange
            sight={sight}
            repoSeq={repoSeq}
            name={nameAfter}
            operation={operation}
            isReasonTold={reason !== undefined}
          />
        </div>
      )}
    </li>
  );
}

interface OperationChangeProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly name: string;
  readonly operation: OperationResult;
  /** Reasons of very large records are not part of the row. */
  readonly isReasonTold: boolean;
}

function OperationChange({ sight, repoSeq, name, operation, isReasonTold }: OperationChangeProps) {
  const change = useQuery(changeIn(sight, repoSeq, name));
  return (
    <Loaded query={change} what="changes" isPart>
      {(diff) => (
        <>
          {diff.after.aboutWref !== undefined && (
            <p>
              About <PerhapsHidden wref={diff.after.aboutWref} />
            </p>
          )}
          <Said sight={sight} operation={operation} diff={diff} isReasonTold={isReasonTold} />
        </>
      )}
    </Loaded>
  );
}

interface SaidProps extends Pick<OperationChangeProps, 'sight' | 'operation' | 'isReasonTold'> {
  readonly diff: RecordDiff;
}

function Said({ sight, operation: { operation }, diff, isReasonTold }: SaidProps) {
  const { before, after, differences } = diff;
  if (after.purged) return <p className="quiet">The data was purged.</p>;
  if (after.data === null) return <p className="quiet">The data is hidden from you.</p>;
  if (!after.active) return <Retracted sight={sight} diff={diff} isReasonTold={isReasonTold} />;
  if (before === null) return <Whole sight={sight} version={after} />;
  if (operation === 'rename' && differences.length === 0) return <p className="quiet">Only the name changed.</p>;
  return (
    <>
      {!before.active && <p>The commit restored this record, which was retracted.</p>}
      {after.kind === 'shape' && isJsonObject(before.data) ? (
        <ShapeChanges before={before.data} after={after.data} />
      ) : (
        <Differences differences={differences} />
      )}
    </>
  );
}

const Retracted = ({ sight, diff: { after }, isReasonTold }: Omit<SaidProps, 'operation'>) => (
  <>
    <p>The record was retracted. Lists no longer show it, but its history remains readable.</p>
    {!isReasonTold && after.reason !== undefined && (
      <p>
        Reason: <Text>{after.reason}</Text>
      </p>
    )}
    <Whole sight={sight} version={after} />
  </>
);

function Whole({ sight, version: { kind, name, data, refs } }: { sight: Sight; version: RecordDiff['after'] }) {
  if (kind !== 'shape') return <Value data={data} refs={refs} />;
  const { description } = definitionOf(data);
  return (
    <>
      {description !== undefined && <LongText>{description}</LongText>}
      <FieldTable sight={sight} data={data} indexes={[]} label={`Fields of ${name}`} />
    </>
  );
}
