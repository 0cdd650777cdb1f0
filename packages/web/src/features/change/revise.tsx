// A new version of a record: the form begins with the newest, or with an older one.
import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Loaded } from '../../ui/loaded.tsx';
import { fieldsIn, record, shapeOfRecord } from '../record/record.ts';
import { draftedFields } from '../shape/drafted-shape.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import { type Base, baseOf } from './change.ts';
import { filledIn, formOf } from './form-field.ts';
import { useDraft } from './kept-draft.ts';
import { type FilledData, RecordForm } from './record-form.tsx';
import { useFilled } from './use-filled.ts';
import { type OfRecord, useKept, useReview } from './use-review.ts';

export function Revise({ sight, head }: OfRecord) {
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
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<FilledData & { readonly base: Base }>(
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
        filled={filled}
        fill={fill}
        onSubmit={() => review({ step: 'revise', name: head.name, base, data: filledIn(data, formOf(fields)) }, done)}
        isPending={isPending}
        error={error}
      />
    </div>
  );
}
