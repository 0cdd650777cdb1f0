import type { ShapeItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useDraft } from '../../app/draft.ts';
import { useNotice } from '../../app/notice.tsx';
import { type Sight, useSight } from '../../app/sight.ts';
import { type Added, type Base, baseOf, type Change } from '../../data/change.ts';
import { isObject, type Json } from '../../data/declaration.ts';
import { orderedFields } from '../../data/field-order.ts';
import { shapeNamed } from '../../data/shape.ts';
import { type FieldRow, fieldsOfRows, rowProblem, rowsOf, withRow } from '../../data/shape-draft.ts';
import { pathsOf } from '../../data/shape-row-path.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { NameField } from '../../parts/form/name-field.tsx';
import { problemsOf } from '../../parts/form/problems.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import { FieldRows } from './field-rows.tsx';
import { ShapeCheck } from './shape-check.tsx';
import { useKnownShapes } from './unknown-shapes.tsx';
import { useFilled } from './use-filled.ts';
import { useStage } from './use-stage.ts';
import { Writable } from './writable.tsx';
import '../../look/change.css';

export function AddShape() {
  const sight = useSight();
  const { changes } = useDraft(sight);
  useTitle('Add a shape', `${sight.orgName}/${sight.repoName}`);
  const { name = '', ...asked } = useSearch({ from: '/$orgName/$repoName/new-shape' });
  const review = useReview(sight);
  const navigate = useNavigate();
  const say = useNotice();
  const addRecord = (shape: string) => {
    say({ text: `${shape} is kept with your changes, and not committed yet.` });
    void navigate({
      to: '/$orgName/$repoName/new',
      params: sight,
      search: { ...asked, shape },
      ignoreBlocker: true,
    });
  };
  // As it was when the page was opened: in the draft it is another as soon as it is reviewed.
  const [opened, setOpened] = useState({ name, kept: addedShape(changes, name) });
  if (opened.name !== name) setOpened({ name, kept: addedShape(changes, name) });
  const { kept } = opened;
  return (
    <Writable sight={sight} title="Add a shape">
      <p>A shape says which fields the records of one sort have.</p>
      <ShapeForm
        key={name}
        sight={sight}
        name={kept?.name ?? ''}
        kept={kept}
        data={kept?.data}
        onKept={asked.kind === undefined ? review : addRecord}
      />
    </Writable>
  );
}

/** What was to be added under this name, to be changed before it is. */
const addedShape = (changes: readonly Change[], name: string): Added | undefined =>
  changes.find((change): change is Added => change.step === 'add' && change.kind === 'shape' && change.name === name);

export function EditShape() {
  const sight = useSight();
  const { shapeName } = useParams({ from: '/$orgName/$repoName/edit-shape/$shapeName' });
  useTitle(`Change ${shapeName}`, `${sight.orgName}/${sight.repoName}`);
  const found = useQuery(shapeNamed(sight, shapeName));
  return (
    <Writable
      sight={sight}
      title={
        <>
          Change the shape <Text>{shapeName}</Text>
        </>
      }
    >
      <Loaded query={found} what="the shape" isPart>
        {(head) => <EditForm key={head.durableId} sight={sight} head={head} />}
      </Loaded>
    </Writable>
  );
}

function EditForm({ sight, head }: { sight: Sight; head: ShapeItem }) {
  const { changes } = useDraft(sight);
  const [{ base, data }] = useState(() => {
    const kept = changes.find((change) => change.step === 'revise' && change.name === head.name);
    if (kept?.step === 'revise') return { base: kept.base, data: kept.data };
    return { base: baseOf(head), data: inOrder(head.data) };
  });
  const review = useReview(sight);
  return <ShapeForm sight={sight} name={head.name} base={base} head={head} data={data} onKept={review} />;
}

/** On to the draft. */
function useReview(sight: Sight) {
  const navigate = useNavigate();
  return () => void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true });
}

interface ShapeFormProps {
  readonly sight: Sight;
  readonly name: string;
  /** What it was, where it is there already. */
  readonly base?: Base;
  /** What it is now, which may be newer. */
  readonly head?: ShapeItem;
  /** What is in the draft already, and is replaced. */
  readonly kept?: Added | undefined;
  readonly data: unknown;
  /** Once it is in the draft. */
  readonly onKept: (name: string) => void;
}

function ShapeForm({ sight, name: nameAtFirst, base: baseAtFirst, head, kept, data: atFirst, onKept }: ShapeFormProps) {
  const stage = useStage(sight, kept);
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<Filled>(
    { sight, form: `shape ${nameAtFirst}` },
    () => filledOf(nameAtFirst, atFirst, baseAtFirst),
  );
  const { name, description, rows, base } = filled;
  const [checked, setChecked] = useState<Json>();
  const wrong = rowProblem(rows);
  const known = useKnownShapes(sight);
  const dataNow = (): Json => ({ fields: fieldsOfRows(rows), ...(description !== '' && { description }) });
  const change = (): Change =>
    base === undefined
      ? { step: 'add', kind: 'shape', name, data: dataNow() }
      : { step: 'revise', name: nameAtFirst, base, data: dataNow() };
  const problems = problemsOf(stage.error, ['/name', ...rows.flatMap(pathsOf)]);
  const review = () =>
    stage.mutate(change(), {
      onSuccess: () => {
        done();
        onKept(name);
      },
    });
  return (
    <div ref={box}>
      {isBack && (
        <HereAgain
          onAnew={() => begin(first)}
          isLate={base !== undefined && head !== undefined && head.version > base.version}
        />
      )}
      {base !== undefined && head !== undefined && (
        <Faster
          head={head}
          version={base.version}
          onAnew={() => begin(filledOf(nameAtFirst, inOrder(head.data), baseOf(head)))}
        />
      )}
      <ActionForm
        key={round}
        label="The shape"
        action="Review"
        doing="Checking…"
        isPending={stage.isPending}
        isReady={wrong === undefined && name !== ''}
        problem={problems.whole}
        onSubmit={review}
        beside={
          base !== undefined && (
            <button
              type="button"
              className="secondary"
              disabled={wrong !== undefined}
              onClick={() => setChecked(dataNow())}
            >
              Check which records would not fit
            </button>
          )
        }
      >
        {base === undefined && (
          <NameField
            of="shape"
            label="Name"
            hint="Such as Place or Person: a letter, then letters, digits, _, - and dots."
            value={name}
            onChange={(next) => fill({ name: next })}
            problem={problems.byPath.get('/name')}
          />
        )}
        <TextField
          label="Description"
          hint="What its records are."
          value={description}
          onChange={(next) => fill({ description: next })}
        />
        <FieldRows
          rows={rows}
          onChange={(next) => fill({ rows: next })}
          known={known}
          own={name}
          said={problems.byPath}
        />
        {wrong !== undefined && <p className="quiet">{wrong}</p>}
      </ActionForm>
      {checked !== undefined && <ShapeCheck sight={sight} draft={{ name: nameAtFirst, data: checked }} />}
    </div>
  );
}

interface Filled {
  readonly name: string;
  readonly description: string;
  readonly rows: readonly FieldRow[];
  readonly base: Base | undefined;
}

const filledOf = (name: string, data: unknown, base: Base | undefined): Filled => ({
  name,
  description: descriptionIn(data),
  rows: rowsAtFirst(data),
  base,
});

function rowsAtFirst(data: unknown): readonly FieldRow[] {
  const rows = isObject(data) ? rowsOf(data.fields) : [];
  return rows.length === 0 ? withRow([]) : rows;
}

/** As it is shown elsewhere; the server keeps fields by their names. */
const inOrder = (data: unknown): unknown =>
  isObject(data) && isObject(data.fields) ? { ...data, fields: Object.fromEntries(orderedFields(data.fields)) } : data;

const descriptionIn = (data: unknown): string =>
  isObject(data) && typeof data.description === 'string' ? data.description : '';
