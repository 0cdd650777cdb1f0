import type { OperationResult, RecordDiff } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { Value } from '../record/value.tsx';
import { isObject } from '../shape/declaration.ts';
import { definitionOf } from '../shape/definition.ts';
import { FieldTable } from '../shape/field-table.tsx';
import { ShapeChanges } from '../shape/version-change.tsx';
import { changeIn } from './commit.ts';
import { Differences } from './difference.tsx';
import '../../ui/css/shape.css';

interface OperationChangeProps {
  readonly sight: Sight;
  readonly repoSeq: number;
  /** What the record was called when the commit was over. */
  readonly name: string;
  readonly operation: OperationResult;
  /** Whether its row has the reason already: of very large records it is not asked for there. */
  readonly isReasonTold: boolean;
}

/** What a commit changed in a record, against how it was before. */
export function OperationChange({ sight, repoSeq, name, operation, isReasonTold }: OperationChangeProps) {
  const change = useQuery(changeIn(sight, { repoSeq, name }));
  return (
    <Loaded query={change} what="what changed" isPart>
      {(diff) => (
        <>
          <About diff={diff} />
          <Said sight={sight} operation={operation} diff={diff} isReasonTold={isReasonTold} />
        </>
      )}
    </Loaded>
  );
}

function About({ diff: { after } }: { diff: RecordDiff }) {
  if (after.aboutWref === undefined) return null;
  return (
    <p>
      About{' '}
      {after.aboutWref === null ? (
        <span className="quiet">what you may not see</span>
      ) : (
        <RecordLink wref={after.aboutWref} />
      )}
    </p>
  );
}

interface SaidProps extends Pick<OperationChangeProps, 'sight' | 'operation' | 'isReasonTold'> {
  readonly diff: RecordDiff;
}

function Said({ sight, operation: { operation }, diff, isReasonTold }: SaidProps) {
  const { before, after, differences } = diff;
  if (after.purged) return <p className="quiet">Its data was removed for good.</p>;
  if (after.data === null) return <p className="quiet">Its data is hidden from you.</p>;
  if (!after.active) return <Retracted sight={sight} diff={diff} isReasonTold={isReasonTold} />;
  if (before === null) return <Whole sight={sight} version={after} />;
  if (operation === 'rename' && differences.length === 0)
    return <p className="quiet">It has a new name; its data is the same.</p>;
  return (
    <>
      {!before.active && <p>It was retracted before, and is back.</p>}
      {after.kind === 'shape' && isObject(before.data) ? (
        <ShapeChanges before={before.data} after={after.data} />
      ) : (
        <Differences differences={differences} />
      )}
    </>
  );
}

function Retracted({ sight, diff: { after }, isReasonTold }: Omit<SaidProps, 'operation'>) {
  return (
    <>
      <p>It was retracted: it is not listed any more, and its data stays readable in its history.</p>
      {!isReasonTold && after.reason !== undefined && (
        <p>
          Reason: <Text>{after.reason}</Text>
        </p>
      )}
      <Whole sight={sight} version={after} />
    </>
  );
}

/** All that a version says: of a shape its fields, as its own page has them. */
function Whole({ sight, version: { kind, name, data, refs } }: { sight: Sight; version: RecordDiff['after'] }) {
  if (kind !== 'shape') return <Value data={data} refs={refs} />;
  const { description } = definitionOf(data);
  return (
    <>
      {description !== undefined && <LongText>{description}</LongText>}
      <FieldTable sight={sight} data={data} indexes={[]} label={`The fields of ${name}`} />
    </>
  );
}
