import { useEffect, useState } from 'react';
import { problemOf } from '../../app/problem.ts';
import type { Sight } from '../../app/sight.ts';
import { type Checked, checkRecords, type ShapeDraft } from '../../data/shape-check.ts';
import { RecordLink } from '../../parts/record-link.tsx';
import { Text } from '../../parts/text.tsx';

interface ShapeCheckProps {
  readonly sight: Sight;
  readonly draft: ShapeDraft;
}

/** Which records would not fit the shape any more. */
export function ShapeCheck({ sight, draft }: ShapeCheckProps) {
  const { far, isDone, error } = useCheck(sight, draft);
  return (
    <section className="shape-check" aria-label={`Records that would not fit ${draft.name}`}>
      <p role="status">{saidOf(far, isDone)}</p>
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

const records = (count: number): string => (count === 1 ? '1 record' : `${count.toLocaleString('en')} records`);

function saidOf({ checked, total }: Checked, isDone: boolean): string {
  if (!isDone) return `${records(checked)} checked so far, ${total.toLocaleString('en')} would not fit…`;
  if (checked === 0) return 'No record has this shape yet.';
  return total === 0
    ? `All of ${records(checked)} would fit.`
    : `${records(total)} of ${checked.toLocaleString('en')} would not fit.`;
}

const NOTHING: Checked = { checked: 0, total: 0, misfits: [] };

function useCheck({ orgName, repoName }: Sight, { name, data }: ShapeDraft) {
  const [state, setState] = useState<{ far: Checked; isDone: boolean; error?: unknown }>({
    far: NOTHING,
    isDone: false,
  });
  // Two drafts that say the same are one.
  const text = JSON.stringify(data);
  useEffect(() => {
    const controller = new AbortController();
    const check = async () => {
      setState({ far: NOTHING, isDone: false });
      const draft = { name, data: JSON.parse(text) };
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
