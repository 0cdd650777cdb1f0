import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { toEdit, toEditShape } from '../../app/links.ts';
import { isMissing } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { recordsText } from '../../ui/amount.ts';
import { NameField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { Text } from '../../ui/text.tsx';
import { MissingRecord } from '../record/missing-record.tsx';
import { fieldsIn, record } from '../record/record.ts';
import { draftedFields } from '../shape/declaration.ts';
import { shapeNamed, useRecordCount } from '../shape/shape.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import { type Base, baseOf, type Change } from './change.ts';
import { filledIn, formOf } from './form-field.ts';
import { useDraft } from './kept-draft.ts';
import { type FilledData, RecordForm } from './record-form.tsx';
import { useFilled, useReview } from './use-stage.ts';
import { Writable } from './writable.tsx';

const STEPS = [
  { step: 'revise', label: 'Revise' },
  { step: 'rename', label: 'Rename' },
  { step: 'retract', label: 'Retract' },
] as const;

export function EditRecord() {
  const sight = useSight();
  const { _splat: name = '' } = useParams({ from: '/$orgName/$repoName/edit/$' });
  return <EditNamed sight={sight} name={name} />;
}

function EditNamed({ sight, name }: { sight: Sight; name: string }) {
  const { step = 'revise' } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const newest = useQuery(record(sight, name));
  if (isMissing(newest.error)) {
    return (
      <MissingRecord sight={sight} name={name} present={(found) => <EditPresent sight={sight} name={found} />}>
        {(found) => found !== name && <EditNamed sight={sight} name={found} />}
      </MissingRecord>
    );
  }
  const isRetracted = newest.data?.active === false;
  return (
    <Writable sight={sight} title={isRetracted ? 'Restore' : 'Edit'} name={name}>
      {isRetracted ? (
        <p className="hint">This record is retracted. Restore it with this data, or edit the data first.</p>
      ) : (
        <nav className="pages" aria-label="Action">
          {STEPS.map(({ step: to, label }) => (
            <Link
              key={to}
              {...toEdit(sight, name, to === 'revise' ? {} : { step: to })}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {to === 'revise' && newest.data?.kind === 'shape' ? 'Edit fields' : label}
            </Link>
          ))}
        </nav>
      )}
      <Loaded query={newest} what="the record" isPart isForm>
        {(head) => {
          if (step === 'rename') return <RenameForm sight={sight} head={head} />;
          if (step === 'retract') return <RetractForm sight={sight} head={head} />;
          if (head.kind === 'shape') return <Navigate {...toEditShape(sight, head.name)} replace />;
          return <Revise key={head.durableId} sight={sight} head={head} />;
        }}
      </Loaded>
    </Writable>
  );
}

/** The form stores typed data under the durable ID, so this redirect needs no confirmation. */
const EditPresent = ({ sight, name }: { sight: Sight; name: string }) => (
  <Navigate to="/$orgName/$repoName/edit/$" params={{ ...sight, _splat: name }} search={true} replace ignoreBlocker />
);

function RenameForm({ sight, head }: OfRecord) {
  const { review, form, stage } = useReview(sight);
  const before = head.shapeName === undefined ? '' : `${head.shapeName}/`;
  const kept = useKept({ sight, head }, 'rename');
  const [version] = useState(head.version);
  const [typed, setTyped] = useState((kept?.newName ?? head.name).slice(before.length));
  const newName = typed.startsWith(before) ? typed : `${before}${typed}`;
  const problems = problemsOf(stage.error, ['/newName']);
  return (
    <>
      <Faster head={head} version={version} />
      <ActionForm
        label="Rename"
        {...form}
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
                  The full name will be <Text>{newName}</Text>.{' '}
                </>
              )}
              References to it are updated. Pages for the old name redirect to the new one. API calls with the old name
              fail and report the new one.
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

function RetractForm({ sight, head }: OfRecord) {
  const { review, form, stage } = useReview(sight);
  const kept = useKept({ sight, head }, 'retract');
  const [reason, setReason] = useState(kept?.reason ?? '');
  const [version] = useState(head.version);
  const problems = problemsOf(stage.error, ['/reason']);
  if (!head.active) return <p>This record is already retracted. Revise it to restore it.</p>;
  return (
    <>
      <Faster head={head} version={version} />
      <ActionForm
        label="Retract"
        {...form}
        problem={problems.whole}
        onSubmit={() => review({ step: 'retract', name: head.name, base: baseOf(head), reason: reason.trim() })}
      >
        <p>
          Lists no longer show a retracted record. Its data and history remain, and you can restore it at any time.
          {head.kind === 'shape' && <ItsRecords sight={sight} shapeName={head.name} />}
        </p>
        <TextField
          label="Reason (optional)"
          hint="Shown to people who look for the record later. It is also the suggested commit message."
          value={reason}
          onChange={setReason}
          isLong
          problem={problems.byPath.get('/reason')}
        />
      </ActionForm>
    </>
  );
}

function ItsRecords({ sight, shapeName }: { sight: Sight; shapeName: string }) {
  const count = useRecordCount(sight, shapeName);
  if (count === undefined || count === 0) return null;
  return (
    <>
      {' '}
      It has {recordsText(count)}. They remain and can be revised, but no new ones can be added until you restore the
      shape.
    </>
  );
}

function Revise({ sight, head }: OfRecord) {
  const { version } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const chosen = useQuery({ ...record(sight, head.name, version), enabled: version !== undefined });
  const shape = useQuery({ ...shapeNamed(sight, head.shapeName ?? ''), enabled: head.shapeName !== undefined });
  const { changes } = useDraft(sight);
  if (head.purged) return <p>The data of this record was purged, so it cannot be revised.</p>;
  return (
    <Loaded query={shape} what="the shape" isPart>
      {(found) => {
        const fields = draftedFields(changes, found.name) ?? fieldsIn(found);
        return version === undefined ? (
          <ReviseForm sight={sight} head={head} fields={fields} />
        ) : (
          <Loaded query={chosen} what={`version ${version}`} isPart>
            {(older) => <ReviseForm key={version} sight={sight} head={head} fields={fields} from={older} />}
          </Loaded>
        );
      }}
    </Loaded>
  );
}

function ReviseForm({ sight, head, fields, from }: OfRecord & { fields: unknown; from?: RecordItem }) {
  const kept = useKept({ sight, head }, 'revise');
  const { review, stage } = useReview(sight);
  // The base stays that of the opening, so that concurrent edits are noticed.
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<FilledData & { readonly base: Base }>(
    sight,
    `edit ${head.durableId} ${from?.version ?? ''}`,
    () => {
      if (from !== undefined) return { base: baseOf(head), data: from.data };
      if (kept !== undefined) return { base: kept.base, data: kept.data };
      return { base: baseOf(head), data: head.data };
    },
  );
  const { base, data } = filled;
  return (
    <div ref={box}>
      {isBack && <HereAgain onAnew={() => begin(first)} isLate={head.version > base.version} />}
      <Faster
        head={head}
        version={base.version}
        onAnew={() => begin({ base: baseOf(head), data: (from ?? head).data })}
      />
      {!base.isActive && <p>This record is retracted. A new version restores it.</p>}
      <RecordForm
        key={round}
        label={`Data of ${head.name}`}
        fields={fields}
        filled={filled}
        fill={fill}
        onSubmit={() => review({ step: 'revise', name: head.name, base, data: filledIn(data, formOf(fields)) }, done)}
        isPending={stage.isPending}
        error={stage.error}
      />
    </div>
  );
}

interface OfRecord {
  readonly sight: Sight;
  readonly head: RecordItem;
}

function useKept<Step extends Change['step']>({ sight, head }: OfRecord, step: Step) {
  const { changes } = useDraft(sight);
  return changes.find(
    (change): change is Extract<Change, { step: Step }> => change.step === step && change.name === head.name,
  );
}
