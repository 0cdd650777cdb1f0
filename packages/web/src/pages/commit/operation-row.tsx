import type { OperationResult } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import type { Sight } from '../../app/sight.ts';
import { doneBy } from '../../data/operation.ts';
import { Arrow } from '../../parts/arrow.tsx';
import { Text } from '../../parts/text.tsx';
import { OperationChange } from './operation-change.tsx';

interface OperationRowProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly operation: OperationResult;
  /** What its record was called when the commit was over. */
  readonly nameAfter: string;
  /** Whether the commit changed the record more than once. */
  readonly isOften: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One operation, and what it changed for who opens it. */
export function OperationRow({ sight, repoSeq, operation, nameAfter, isOften, isOpen, onToggle }: OperationRowProps) {
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
          <RecordThen sight={sight} repoSeq={repoSeq} name={nameAfter} label={name} />
        </span>
        <span className="quiet">
          {kind}
          {version !== undefined && `, version ${version}`}
        </span>
      </div>
      {isOpen && (
        <div id={id} className="change">
          {isOften && (
            <p className="quiet">This commit changed the record more than once. This is what all of it came to.</p>
          )}
          <OperationChange sight={sight} repoSeq={repoSeq} name={nameAfter} operation={operation} />
        </div>
      )}
    </li>
  );
}

interface RecordThenProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  readonly name: string;
  readonly label: string;
}

/** The record as it was right after the commit. */
function RecordThen({ sight: { orgName, repoName }, repoSeq, name, label }: RecordThenProps) {
  const search = { at: repoSeq };
  if (!name.includes('/')) {
    return (
      <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: name }} search={search}>
        <Text>{label}</Text>
      </Link>
    );
  }
  return (
    <Link to="/$orgName/$repoName/record/$" params={{ orgName, repoName, _splat: name }} search={search}>
      <Text>{label}</Text>
    </Link>
  );
}
