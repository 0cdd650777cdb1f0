import { useState } from 'react';
import { ActionForm } from '../../ui/action-form.tsx';
import { NameField } from '../../ui/name-field.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { Text } from '../../ui/text.tsx';
import { Faster } from './begun-note.tsx';
import { baseOf } from './change.ts';
import { type OfRecord, useKept, useReview } from './use-review.ts';

export function RenameForm({ sight, head }: OfRecord) {
  const { review, isPending, error } = useReview(sight);
  // The shape stays; only what follows it is typed.
  const before = head.shapeName === undefined ? '' : `${head.shapeName}/`;
  const kept = useKept({ sight, head }, 'rename');
  const [version] = useState(head.version);
  const [typed, setTyped] = useState((kept?.newName ?? head.name).slice(before.length));
  const newName = typed.startsWith(before) ? typed : `${before}${typed}`;
  const problems = problemsOf(error, ['/newName']);
  return (
    <>
      <Faster head={head} version={version} />
      <ActionForm
        label="Another name"
        action="Review"
        doing="Checking…"
        isPending={isPending}
        isReady={typed.trim() !== '' && newName !== head.name}
        problem={problems.whole}
        onSubmit={() => review({ step: 'rename', name: head.name, base: baseOf(head), newName })}
      >
        <NameField
          of={head.kind === 'shape' ? 'shape' : 'record'}
          label="New name"
          hint={
            <>
              {typed.trim() !== '' && (
                <>
                  It will be called <Text>{newName}</Text>.{' '}
                </>
              )}
              References to it follow. Pages find it under its old name still; programs are told the new one.
            </>
          }
          value={typed}
          onChange={setTyped}
          problem={problems.byPath.get('/newName')}
        />
      </ActionForm>
    </>
  );
}
