import type { OperationResult } from '@cairn/sdk';
import { useId } from 'react';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { pinned } from '../record/wref.ts';
import { Arrow } from '../shape/arrow.tsx';
import { doneBy } from './operation.ts';
import { OperationChange } from './operation-change.tsx';

interface OperationRowProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly operation: OperationResult;
  /** What its record was called when the commit was over. */
  readonly nameAfter: string;
  /** Why it was retracted. */
  readonly reason: string | undefined;
  /** Whether the commit changed the record more than once. */
  readonly isOften: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One operation, and what it changed for who opens it. */
export function OperationRow(props: OperationRowProps) {
  const { sight, repoSeq, operation, nameAfter, reason, isOften, isOpen, onToggle } = props;
  const id = useId();
  const { kind, name, submittedName, version } = operation;
  const done = doneBy(operation);
  return (
    <li>
      <div className="operation">
        <button
          type="button"
          className="small"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={`What changed in ${name}`}
          onClick={onToggle}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
        </button>
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
              , <RecordLink wref={pinned(nameAfter, version)}>{`version ${version}`}</RecordLink>
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
            <p className="quiet">This commit changed the record more than once. This is what all of it came to.</p>
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
