import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useDraft } from '../../app/draft.ts';
import { isMissing } from '../../app/problem.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { baseOf } from '../../data/change.ts';
import { draftedFields } from '../../data/drafted-shape.ts';
import { filledIn, formOf } from '../../data/form-field.ts';
import { fieldsIn, record, shapeOfRecord } from '../../data/record.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { MissingRecord } from '../record/missing-record.tsx';
import { Faster, HereAgain } from './begun-note.tsx';
import { RecordForm } from './record-form.tsx';
import { RenameForm } from './rename-form.tsx';
import { RetractForm } from './retract-form.tsx';
import { useFilled } from './use-filled.ts';
import { type OfRecord, useKept, useReview } from './use-review.ts';
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
  return <EditNamed sight={sight} name={name} />;
}

function EditNamed({ sight, name }: { sight: Sight; name: string }) {
  const { step = 'revise' } = useSearch({ from: '/$orgName/$repoName/edit/$' });
  const { orgName, repoName } = sight;
  useTitle(`Change ${name}`, `${orgName}/${repoName}`);
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
              {to === 'revise' && newest.data?.kind === 'shape' ? 'Its fields' : label}
            </Link>
          ))}
        </nav>
      )}
      <Loaded query={newest} what="the record" isPart>
        {(head) => {
          if (step === 'rename') return <RenameForm sight={sight} head={head} />;
          if (step === 'retract') return <RetractForm sight={sight} head={head} />;
          if (head.kind === 'shape') return <ToItsFields sight={sight} shapeName={head.name} />;
          return <Revise key={head.durableId} sight={sight} head={head} />;
        }}
      </Loaded>
    </Writable>
  );
}

/** What was typed is kept for the record, whatever it is called: nobody need be asked. */
function EditPresent({ sight: { orgName, repoName }, name }: { sight: Sight; name: string }) {
  return (
    <Navigate
      to="/$orgName/$repoName/edit/$"
      params={{ orgName, repoName, _splat: name }}
      search={true}
      replace
      ignoreBlocker
    />
  );
}

/** A shape has a form of its own. */
function ToItsFields({ sight: { orgName, repoName }, shapeName }: { sight: Sight; shapeName: string }) {
  const params = { orgName, repoName, shapeName };
  return <Navigate to="/$orgName/$repoName/edit-shape/$shapeName" params={params} replace />;
}

function Revise({ sight, head }: OfRecord) {
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

interface ReviseFormProps extends OfRecord {
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
