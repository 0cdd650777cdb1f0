import { useState } from 'react';
import { ActionForm } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { Faster } from './begun-note.tsx';
import { baseOf } from './change.ts';
import { ItsRecords } from './its-records.tsx';
import { type OfRecord, useKept, useReview } from './use-review.ts';

export function RetractForm({ sight, head }: OfRecord) {
  const { review, isPending, error } = useReview(sight);
  const kept = useKept({ sight, head }, 'retract');
  const [reason, setReason] = useState(kept?.reason ?? '');
  const [version] = useState(head.version);
  const problems = problemsOf(error, ['/reason']);
  if (!head.active) return <p>It is retracted already. A new version of its data brings it back.</p>;
  return (
    <>
      <Faster head={head} version={version} />
      <ActionForm
        label="Retract it"
        action="Review"
        doing="Checking…"
        isPending={isPending}
        problem={problems.whole}
        onSubmit={() => review({ step: 'retract', name: head.name, base: baseOf(head), reason: reason.trim() })}
      >
        <p>
          Lists leave it out from then on. Its data and its history stay, and it can be brought back at any time.
          {head.kind === 'shape' && <ItsRecords sight={sight} shapeName={head.name} />}
        </p>
        <TextField
          label="Reason (optional)"
          hint="For those who look for it later. The commit is described by it too, unless you write something else there."
          value={reason}
          onChange={setReason}
          isLong
          problem={problems.byPath.get('/reason')}
        />
      </ActionForm>
    </>
  );
}
