import { findDifferences, pointerTokens } from '@cairn/protocol/json-pointer';
import type { OperationResult } from '@cairn/sdk';
import type { Draft } from '../../app/draft.ts';
import type { Sight } from '../../app/sight.ts';
import { type Added, type Change, type TakenBack, titleOf } from '../../data/change.ts';
import { membersOf } from '../../data/collection-member.ts';
import { isObject } from '../../data/declaration.ts';
import { contentOf, textNamed } from '../../data/repository-text.ts';
import { Author } from '../../parts/author.tsx';
import { Differences, TextDifference } from '../../parts/difference.tsx';
import { Moment } from '../../parts/moment.tsx';
import { RecordLink } from '../../parts/record-link.tsx';
import { LongText, Text } from '../../parts/text.tsx';
import { Value } from '../../parts/value.tsx';
import { FieldTable } from '../shape/field-table.tsx';
import { ShapeChanges } from '../shape/version-change.tsx';
import { Conflict } from './conflict.tsx';
import { EditLink } from './edit-link.tsx';
import { Refused } from './refused.tsx';
import { ShapeCheck } from './shape-check.tsx';
import { UnknownShapesIn } from './unknown-shapes.tsx';
import { useDropping } from './use-dropping.tsx';
import '../../look/shape.css';

interface DraftChangeProps {
  readonly sight: Sight;
  readonly change: Change;
  readonly draft: Draft;
  /** What the server would make of it; nothing until it has said so. */
  readonly result: OperationResult | undefined;
}

export function DraftChange({ sight, change, draft, result }: DraftChangeProps) {
  const { dropOne } = useDropping(draft);
  const title = titleOf(change);
  const refusal = result?.error;
  return (
    <li>
      <h2>
        <Text>{title}</Text>
      </h2>
      {refusal?.code === 'CONFLICT' && change.step !== 'add' ? (
        <Conflict sight={sight} change={change} draft={draft} />
      ) : (
        <>
          {refusal !== undefined && <Refused sight={sight} change={change} draft={draft} refusal={refusal} />}
          {change.step !== 'add' && change.takenBack !== undefined && <Since change={change} of={change.takenBack} />}
          <What sight={sight} change={change} changes={draft.changes} />
          <Undeclared pointers={result?.warnings?.undeclaredFields ?? []} />
          {change.step === 'revise' && change.base.kind === 'shape' && isObject(change.data) && (
            <ShapeCheck sight={sight} draft={{ name: change.name, data: change.data }} />
          )}
        </>
      )}
      <div className="actions">
        {/* Of what is not there under its name, there is no form. */}
        {refusal?.code !== 'NOT_FOUND' && <EditLink sight={sight} change={change} />}
        <button type="button" className="small" aria-label={`Drop: ${title}`} onClick={() => dropOne(change)}>
          Drop
        </button>
      </div>
    </li>
  );
}

/** What was done to a record since the commit that is taken back, and what becomes of that. */
function Since({ change, of: { repoSeq, since, nameWritten } }: { change: Exclude<Change, Added>; of: TakenBack }) {
  if (change.step === 'rename') {
    return nameWritten === undefined ? null : (
      <p>
        Since commit {repoSeq}, which called it <Text>{nameWritten}</Text>, it was renamed again.
      </p>
    );
  }
  if (since === undefined) return null;
  return (
    <p>
      It was changed since commit {repoSeq}: <Author createdBy={since.createdBy} /> wrote version {since.version} (
      <Moment at={since.createdAt} />
      ).{' '}
      {change.step === 'retract' ? 'To retract it is to retract that too.' : 'What is not shown here stays as it is.'}
    </p>
  );
}

interface WhatProps extends Pick<DraftChangeProps, 'sight' | 'change'> {
  /** All of the draft. */
  readonly changes: readonly Change[];
}

function What({ sight, change, changes }: WhatProps) {
  const text = textIn(change);
  if (text !== undefined) return <TextDifference {...text} />;
  if (change.step === 'add') return <Addition sight={sight} change={change} changes={changes} />;
  if (change.step === 'revise' && change.base.kind === 'shape') {
    return (
      <>
        <ShapeChanges before={change.base.data} after={change.data} />
        <UnknownShapesIn sight={sight} name={change.name} data={change.data} />
      </>
    );
  }
  if (change.step === 'revise') return <Differences differences={findDifferences(change.base.data, change.data)} />;
  if (change.step === 'rename') return <p className="quiet">References to it follow.</p>;
  return change.reason === '' ? <p className="quiet">No reason is given.</p> : <LongText>{change.reason}</LongText>;
}

function Addition({ sight, change, changes }: WhatProps & { readonly change: Added }) {
  const { kind, name, data, about, collection } = change;
  if (kind === 'shape') {
    return (
      <>
        {isObject(data) && typeof data.description === 'string' && <LongText>{data.description}</LongText>}
        <FieldTable sight={sight} data={data} indexes={[]} label={`Fields of ${name}`} />
        <UnknownShapesIn sight={sight} name={name} data={data} />
      </>
    );
  }
  if (collection !== undefined && membersOf(collection, data).length === 0) {
    return <p className="quiet">It has no members.</p>;
  }
  return (
    <>
      {about !== undefined && <About wref={about} changes={changes} />}
      <Value data={data} />
    </>
  );
}

/** What is only drafted has no page yet. */
function About({ wref, changes }: { wref: string; changes: readonly Change[] }) {
  const isDrafted = changes.some(({ step, name }) => step === 'add' && name === wref);
  return (
    <p>
      About{' '}
      {isDrafted ? (
        <>
          <Text>{wref}</Text> <span className="label">in this draft</span>
        </>
      ) : (
        <RecordLink wref={wref} />
      )}
    </p>
  );
}

/** Of one of the texts about the repository: what it is, and what it will be. */
function textIn(change: Change) {
  const after = textNamed(change.name) !== undefined && 'data' in change ? contentOf(change.data) : undefined;
  if (after === undefined) return undefined;
  return { before: ('base' in change ? contentOf(change.base.data) : undefined) ?? '', after };
}

/** Taken as it is, and more often a slip. */
function Undeclared({ pointers }: { pointers: readonly string[] }) {
  if (pointers.length === 0) return null;
  return (
    <p>
      Not declared by the shape, and kept all the same:{' '}
      <Text most={400}>{pointers.map((pointer) => pointerTokens(pointer).join('.')).join(', ')}</Text>. If that is a
      slip, edit it.
    </p>
  );
}
