import type { ShapeItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PendingPage } from '../../app/lazy-page.tsx';
import { toEditShape } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { isMissing } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { MissingRecord } from '../record/missing-record.tsx';
import { shapeNamed } from '../shape/shape.ts';
import { ShapeOwnerNote, useShapeOwner } from '../shape/shape-actions.tsx';
import { type Added, baseOf, type Change } from './change.ts';
import { useDraft } from './kept-draft.ts';
import { inOrder, ShapeForm } from './shape-form.tsx';
import { Writable } from './writable.tsx';

export function AddShape() {
  const sight = useSight();
  const { changes } = useDraft(sight);
  const { name = '', ...asked } = useSearch({ from: '/$orgName/$repoName/new-shape' });
  const { navigate, say } = useFollowUp();
  const addRecord = (shape: string) => {
    say({
      text: (
        <>
          <Text>{shape}</Text> was added to your draft. It is not committed yet.
        </>
      ),
    });
    void navigate({ to: '/$orgName/$repoName/new', params: sight, search: { ...asked, shape }, ignoreBlocker: true });
  };
  // Fixed at opening: a review changes the draft.
  const [opened, setOpened] = useState({ name, kept: addedShape(changes, name) });
  if (opened.name !== name) setOpened({ name, kept: addedShape(changes, name) });
  const { kept } = opened;
  return (
    <Writable sight={sight} title="Add a shape">
      <p>A shape defines the fields of its records.</p>
      <ShapeForm
        key={name}
        sight={sight}
        name={kept?.name ?? ''}
        kept={kept}
        data={kept?.data}
        onKept={asked.kind === undefined ? undefined : addRecord}
      />
    </Writable>
  );
}

const addedShape = (changes: readonly Change[], name: string): Added | undefined =>
  changes.find((change): change is Added => change.step === 'add' && change.kind === 'shape' && change.name === name);

export function EditShape() {
  const sight = useSight();
  const { shapeName } = useParams({ from: '/$orgName/$repoName/edit-shape/$shapeName' });
  const found = useQuery(shapeNamed(sight, shapeName));
  if (isMissing(found.error)) {
    return (
      <MissingRecord
        sight={sight}
        name={shapeName}
        present={(name) => <Navigate {...toEditShape(sight, name)} replace ignoreBlocker />}
      >
        {() => null}
      </MissingRecord>
    );
  }
  const isRetracted = found.data?.active === false;
  return (
    <Writable sight={sight} title={`${isRetracted ? 'Restore' : 'Edit'} the shape`} name={shapeName}>
      {isRetracted && (
        <p className="hint">This shape is retracted. Restore it with these fields, or edit them first.</p>
      )}
      <Loaded query={found} what="the shape" isPart isForm>
        {(head) => <EditUnowned key={head.durableId} sight={sight} head={head} />}
      </Loaded>
    </Writable>
  );
}

/** The server would refuse the change of a component's shape only at the end. */
function EditUnowned({ sight, head }: { sight: Sight; head: ShapeItem }) {
  const owner = useShapeOwner(sight, head.name);
  if (owner === undefined) return <PendingPage />;
  return owner.isOwned ? <ShapeOwnerNote sight={sight} owner={owner} /> : <EditForm sight={sight} head={head} />;
}

function EditForm({ sight, head }: { sight: Sight; head: ShapeItem }) {
  const { changes } = useDraft(sight);
  const [{ base, data }] = useState(() => {
    const kept = changes.find((change) => change.step === 'revise' && change.name === head.name);
    if (kept?.step === 'revise') return { base: kept.base, data: kept.data };
    return { base: baseOf(head), data: inOrder(head.data) };
  });
  return <ShapeForm sight={sight} name={head.name} base={base} head={head} data={data} />;
}
