import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useDraft } from '../../app/draft.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { baseOf, type Change } from '../../data/change.ts';
import { draftedFields } from '../../data/drafted-shape.ts';
import { filledIn, formOf } from '../../data/form-field.ts';
import { fieldsIn, record, shapeOfRecord } from '../../data/record.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { NameField } from '../../parts/form/name-field.tsx';
import { problemsOf } from '../../parts/form/problems.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import { RecordForm } from './record-form.tsx';
import { useFilled } from './use-filled.ts';
import { useStage } from './use-stage.ts';
import { Writable } from './writable.tsx';
import '../../look/change.css';

const STEPS = [
  { step: 'revise', label: 'Its data' },
  { step: 'rename', label: 'Its name' },
  { step: 'retract', label: 'Retract it' },
] as const;

/** A record that is there: its data, its name, or whether it is to be there any longer. */
export function EditRecord() {
  const sight = useSight();
  const { _splat: name = '' } = useParams({ from: '/$orgName/$repoName/edit/$' });
  const { step = 'revise' } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const { orgName, repoName } = sight;
  useTitle(`Change ${name}`, `${orgName}/${repoName}`);
  const newest = useQuery(record(sight, name));
  const isRetracted = newest.data?.active === false;
  return (
    <Writable
      sight={sight}
      title={
        <>
          {isRetracted ? 'Bring back' : 'Change'} <Text>{name}</Text>
        </>
      }
    >
      {isRetracted && (
        <p className="hint">It is retracted. It is there again with this data, or with what you make of it.</p>
      )}
      {!isRetracted && (
        <nav className="pages" aria-label="What to change">
          {STEPS.map(({ step: to, label }) => (
            <Link
              key={to}
              to="/$orgName/$repoName/edit/$"
              params={{ orgName, repoName, _splat: name }}
              search={to === 'revise' ? {} : { step: to }}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
      <Loaded query={newest} what="the record" isPart>
        {(head) => {
          if (step === 'rename') return <Rename sight={sight} head={head} />;
          if (step === 'retract') return <Retract sight={sight} head={head} />;
          return <Revise key={head.durableId} sight={sight} head={head} />;
        }}
      </Loaded>
    </Writable>
  );
}

interface FormProps {
  readonly sight: Sight;
  readonly head: RecordItem;
}

/** Staged, and on to the draft. */
function useReview(sight: Sight) {
  const stage = useStage(sight);
  const navigate = useNavigate();
  const review = (change: Change, done?: () => void) =>
    stage.mutate(change, {
      onSuccess: () => {
        done?.();
        void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true });
      },
    });
  return { review, isPending: stage.isPending, error: stage.error };
}

/** What is in the draft already is gone on with. */
function useKept<Step extends Change['step']>({ sight, head }: FormProps, step: Step) {
  const { changes } = useDraft(sight);
  return changes.find(
    (change): change is Extract<Change, { step: Step }> => change.step === step && change.name === head.name,
  );
}

function Revise({ sight, head }: FormProps) {
  const { version } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const chosen = useQuery({ ...record(sight, head.name, version), enabled: version !== undefined });
  const shape = useQuery({ ...shapeOfRecord(sight, head.shapeName ?? ''), enabled: head.shapeName !== undefined });
  const { changes } = useDraft(sight);
  if (head.purged) return <p>Its data was removed for good; there is nothing to revise.</p>;
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

interface ReviseFormProps extends FormProps {
  readonly fields: unknown;
  /** The version to begin with, where it is not the newest. */
  readonly from?: RecordItem;
}

function ReviseForm({ sight, head, fields, from }: ReviseFormProps) {
  const kept = useKept({ sight, head }, 'revise');
  const { review, isPending, error } = useReview(sight);
  // What it was when the form was opened: who was faster meanwhile is noticed, and asked about.
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled(
    { sight, form: `edit ${head.durableId} ${from?.version ?? ''}` },
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
      {!base.isActive && <p>It is retracted. With a new version it is brought back.</p>}
      <RecordForm
        key={round}
        label={`Data of ${head.name}`}
        fields={fields}
        data={data}
        onChange={(next) => fill({ data: next })}
        onSubmit={() => review({ step: 'revise', name: head.name, base, data: filledIn(data, formOf(fields)) }, done)}
        isPending={isPending}
        error={error}
      />
    </div>
  );
}

function Rename({ sight, head }: FormProps) {
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
        isReady={typed !== '' && newName !== head.name}
        problem={problems.whole}
        onSubmit={() => review({ step: 'rename', name: head.name, base: baseOf(head), newName })}
      >
        <NameField
          of={head.kind === 'shape' ? 'shape' : 'record'}
          label="New name"
          hint={
            <>
              {typed !== '' && (
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

function Retract({ sight, head }: FormProps) {
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
        onSubmit={() => review({ step: 'retract', name: head.name, base: baseOf(head), reason })}
      >
        <p>Lists leave it out from then on. Its data and its history stay, and it can be brought back at any time.</p>
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
