import { useEffect, useState } from 'react';
import { problemOf } from '../../app/problem.ts';
import type { Sight } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { useDraft } from './kept-draft.ts';
import { type Checked, checkRecords, NOTHING_CHECKED, type ShapeDraft } from './shape-check.ts';

interface ShapeCheckProps {
  readonly sight: Sight;
  readonly draft: Omit<ShapeDraft, 'drafted'>;
}

/** Which records would not fit the shape any more. */
export function ShapeCheck({ sight, draft }: ShapeCheckProps) {
  const { changes } = useDraft(sight);
  const drafted = changes.filter(({ step }) => step === 'revise' || step === 'retract').map(({ name }) => name);
  const { far, isDone, error } = useCheck(sight, { ...draft, drafted });
  return (
    <section className="shape-check" aria-label={`Records that would not fit ${draft.name}`}>
      <p role="status">{saidOf(far, isDone)}</p>
      {isDone && far.drafted > 0 && (
        <p className="quiet">
          {recordsText(far.drafted)} of your draft {far.drafted === 1 ? 'is' : 'are'} left out here: what the draft
          makes of {far.drafted === 1 ? 'it' : 'them'} is checked there.
        </p>
      )}
      {isDone && <UndeclaredFields undeclared={far.undeclared} />}
      {error !== undefined && <p className="problem">{problemOf(error).advice}</p>}
      {far.total > 0 && (
        <>
          <p className="quiet">
            They stay as they are, under the version that they were written with, until somebody revises them.
          </p>
          <ul>
            {far.misfits.map(({ name, message }) => (
              <li key={name}>
                <RecordLink wref={name} />: <Text most={400}>{message}</Text>
              </li>
            ))}
          </ul>
          {far.total > far.misfits.length && (
            <p className="quiet">And {(far.total - far.misfits.length).toLocaleString('en')} more.</p>
          )}
        </>
      )}
    </section>
  );
}

/** What is removed from a shape is not removed from its records. */
function UndeclaredFields({ undeclared }: Pick<Checked, 'undeclared'>) {
  const fields = Object.entries(undeclared);
  if (fields.length === 0) return null;
  return (
    <p className="quiet">
      Fields that the shape would not declare, and that records hold data in, which stays:{' '}
      <Text most={400}>{fields.map(([name, count]) => `${name} (${recordsText(count)})`).join(', ')}</Text>.
    </p>
  );
}

function saidOf({ checked, drafted, total }: Checked, isDone: boolean): string {
  if (!isDone) return `${recordsText(checked)} checked so far, ${total.toLocaleString('en')} would not fit…`;
  if (checked === 0) return drafted === 0 ? 'No record has this shape yet.' : 'No other record has this shape.';
  return total === 0
    ? `All of ${recordsText(checked)} would fit.`
    : `${recordsText(total)} of ${checked.toLocaleString('en')} would not fit.`;
}

function useCheck({ orgName, repoName }: Sight, { name, data, drafted }: ShapeDraft) {
  const [state, setState] = useState<{ far: Checked; isDone: boolean; error?: unknown }>({
    far: NOTHING_CHECKED,
    isDone: false,
  });
  // Two drafts that say the same are one.
  const text = JSON.stringify({ data, drafted });
  useEffect(() => {
    const controller = new AbortController();
    const check = async () => {
      setState({ far: NOTHING_CHECKED, isDone: false });
      const draft = { name, ...JSON.parse(text) };
      for await (const far of checkRecords({ orgName, repoName }, draft, controller.signal)) {
        setState({ far, isDone: false });
      }
      setState((before) => ({ ...before, isDone: true }));
    };
    check().catch((error: unknown) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, isDone: true, error }));
    });
    return () => controller.abort();
  }, [orgName, repoName, name, text]);
  return state;
}
