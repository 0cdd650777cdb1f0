import { isJsonObject } from '@cairn/model/json';
import { findDifferences, pointerTokens } from '@cairn/model/json-pointer';
import type { OperationResult } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toEdit, toEditShape, toEditText, toNewRecord, toNewShape } from '../../app/links.ts';
import type { Sight } from '../../app/sight.ts';
import { Button, SmallButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Loaded } from '../../ui/page.tsx';
import { isDetail, refusalText } from '../../ui/refusal-text.ts';
import { Alert, LongText, Text } from '../../ui/text.tsx';
import { Differences, TextDifference } from '../commit/difference.tsx';
import { names, record, whereabouts } from '../record/record.ts';
import { RecordLink } from '../record/record-link.tsx';
import { Value } from '../record/value.tsx';
import { membersOf } from '../record/wref.ts';
import { contentOf, textNamed } from '../repository/repository-text.ts';
import { FieldTable } from '../shape/field-table.tsx';
import { ShapeChanges } from '../shape/version-change.tsx';
import { WhyRetracted } from './begun-note.tsx';
import { type Added, type Change, changeKey, revisionOf, type TakenBack, titleOf } from './change.ts';
import { Conflict } from './conflict.tsx';
import { isReferred, missingNameOf, type Rename } from './followed.ts';
import type { Draft } from './kept-draft.ts';
import { inFields, type Refusal } from './refusal.ts';
import { ShapeCheck, UnknownShapesIn } from './shape-check.tsx';
import { useDropping } from './stranded-draft.tsx';

interface DraftChangeProps {
  readonly sight: Sight;
  readonly change: Change;
  readonly draft: Draft;
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
          {change.step === 'revise' && change.base.kind === 'shape' && isJsonObject(change.data) && (
            <ShapeCheck sight={sight} draft={{ name: change.name, data: change.data }} />
          )}
        </>
      )}
      <div className="actions">
        {/* There is no form for a record that is missing under its name. */}
        {refusal?.code !== 'NOT_FOUND' && (
          <Link {...formOf(sight, change)} aria-label={`Edit: ${title}`}>
            Edit
          </Link>
        )}
        <SmallButton aria-label={`Discard: ${title}`} onClick={() => dropOne(change)}>
          Discard
        </SmallButton>
      </div>
    </li>
  );
}

function Since({ change, of: { repoSeq, since, nameWritten } }: { change: Exclude<Change, Added>; of: TakenBack }) {
  if (change.step === 'rename') {
    return nameWritten === undefined ? null : (
      <p>
        Commit {repoSeq} renamed it to <Text>{nameWritten}</Text>. It was renamed again since then.
      </p>
    );
  }
  if (since === undefined) return null;
  return (
    <p>
      It changed after commit {repoSeq}: <Author createdBy={since.createdBy} /> wrote version {since.version} (
      <Moment at={since.createdAt} />
      ).{' '}
      {change.step === 'retract'
        ? 'Retracting it also retracts that version.'
        : 'Other fields keep their current values.'}
    </p>
  );
}

interface WhatProps extends Pick<DraftChangeProps, 'sight' | 'change'> {
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
  if (change.step === 'rename') return <p className="quiet">References to it are updated.</p>;
  return change.reason === '' ? <p className="quiet">No reason given.</p> : <LongText>{change.reason}</LongText>;
}

function Addition({ sight, change, changes }: WhatProps & { readonly change: Added }) {
  const { kind, name, data, about, collection } = change;
  if (kind === 'shape') {
    return (
      <>
        {isJsonObject(data) && typeof data.description === 'string' && <LongText>{data.description}</LongText>}
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

function About({ wref, changes }: { wref: string; changes: readonly Change[] }) {
  const isDrafted = changes.some(({ step, name }) => step === 'add' && name === wref);
  return (
    <p>
      About{' '}
      {isDrafted ? (
        <>
          <Text>{wref}</Text> <span className="label">in your draft</span>
        </>
      ) : (
        <RecordLink wref={wref} />
      )}
    </p>
  );
}

function textIn(change: Change) {
  const after = textNamed(change.name) !== undefined && 'data' in change ? contentOf(change.data) : undefined;
  if (after === undefined) return undefined;
  return { before: ('base' in change ? contentOf(change.base.data) : undefined) ?? '', after };
}

/** Usually a typo, but valid. */
function Undeclared({ pointers }: { pointers: readonly string[] }) {
  if (pointers.length === 0) return null;
  return (
    <p>
      The shape does not declare these fields:{' '}
      <Text most={400}>{pointers.map((pointer) => pointerTokens(pointer).join('.')).join(', ')}</Text>. They are saved
      anyway. If this is a typo, edit the change.
    </p>
  );
}

function formOf({ orgName, repoName }: Sight, change: Change) {
  const [repo, { name }] = [{ orgName, repoName }, change];
  const textName = textNamed(name);
  if (textName !== undefined && 'data' in change && (change.step === 'add' || change.base.isActive)) {
    return toEditText(repo, textName);
  }
  if (change.step === 'add') {
    const { kind } = change;
    return kind === 'shape'
      ? toNewShape(repo, { name })
      : toNewRecord(repo, { kind, name, shape: name.split('/')[0] ?? '' });
  }
  if (change.step === 'revise' && change.base.kind === 'shape') return toEditShape(repo, name);
  return toEdit(repo, name, change.step === 'revise' ? {} : { step: change.step });
}

interface RefusedProps {
  readonly sight: Sight;
  readonly change: Change;
  readonly draft: Draft;
  readonly refusal: Refusal;
}

function Refused({ sight, change, draft, refusal }: RefusedProps) {
  const missing = missingNameOf(change, refusal);
  const known = useQuery({ ...whereabouts(sight, missing ?? ''), enabled: missing !== undefined });
  if (missing !== undefined && known.isPending) return null;
  if (missing !== undefined && known.data?.kind === 'renamed' && known.data.name !== missing) {
    const referredBy = isReferred(refusal) && { referredBy: changeKey(change) };
    return <Renamed sight={sight} rename={{ from: missing, to: known.data.name, ...referredBy }} draft={draft} />;
  }
  if (change.step === 'add' && refusal.code === 'ALREADY_EXISTS') {
    return <Taken sight={sight} change={change} draft={draft} />;
  }
  return (
    <Alert>
      <Text most={1_000}>{refusalText({ ...refusal, details: fieldsOf(change, refusal) })}</Text>
    </Alert>
  );
}

const fieldsOf = (change: Change, { code, details }: Refusal) =>
  Array.isArray(details) ? inFields(change, code, details.filter(isDetail)) : undefined;

function Taken({ sight, change, draft }: Pick<RefusedProps, 'sight' | 'draft'> & { readonly change: Added }) {
  const newest = useQuery(record(sight, change.name));
  return (
    <div className="conflict">
      <Loaded query={newest} what="the existing record" isPart>
        {(head) => {
          const revision = revisionOf(change, head);
          return (
            <>
              <p role="alert">
                <Author createdBy={head.createdBy} />{' '}
                {head.active ? 'already wrote a record with this name' : 'retracted a record with this name'} (
                <Moment at={head.versionCreatedAt} />
                ). {wayOn(change, { isActive: head.active, isRevisable: revision !== undefined })}
              </p>
              <WhyRetracted head={head} />
              {revision !== undefined && (
                <Button onClick={() => draft.replace(change, revision)}>
                  {head.active ? 'Revise the existing one' : 'Restore the existing one'}
                </Button>
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function wayOn({ name }: Added, there: { readonly isActive: boolean; readonly isRevisable: boolean }): string {
  const isText = textNamed(name) !== undefined;
  if (!there.isRevisable) return 'Edit your change to use another name, or discard it.';
  const otherwise = isText ? 'or discard your change' : 'or edit your change to use another name';
  return there.isActive
    ? `Turn your change into a revision of it, ${otherwise}.`
    : `Restore it with your data, ${otherwise}.`;
}

/** Adding it under the old name would duplicate it. */
function Renamed({ sight, rename, draft }: Pick<RefusedProps, 'sight' | 'draft'> & { readonly rename: Rename }) {
  const { from, to } = rename;
  const { data } = useQuery(names(sight, to));
  const last = data?.nextCursor === undefined ? data?.items.at(-1) : undefined;
  return (
    <div className="conflict">
      <p role="alert">
        {last === undefined ? (
          <>
            <Text>{from}</Text> was renamed to <Text>{to}</Text>.
          </>
        ) : (
          <>
            Meanwhile, <Author createdBy={last.createdBy} /> renamed <Text>{from}</Text> to <Text>{to}</Text> (
            <Moment at={last.createdAt} />
            ).
          </>
        )}
      </p>
      <Button onClick={() => draft.follow(rename)}>
        Continue with <Text>{to}</Text>
      </Button>
    </div>
  );
}
