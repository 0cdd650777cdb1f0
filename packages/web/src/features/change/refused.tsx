// What the server would not take of a draft, and what can be done about it here.
import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { Author } from '../../ui/author.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import { names, record, whereabouts } from '../record/record.ts';
import { textNamed } from '../repository/repository-text.ts';
import { type Added, type Change, keyOf, revisionOf } from './change.ts';
import { isReferred, missingNameOf, type Rename } from './followed.ts';
import type { Draft } from './kept-draft.ts';
import { inFields, type Refusal } from './refusal.ts';
import { isDetail, refusalText } from './refusal-text.ts';
import { WhyRetracted } from './written-since.tsx';

interface RefusedProps {
  readonly sight: Sight;
  readonly change: Change;
  readonly draft: Draft;
  readonly refusal: Refusal;
}

export function Refused({ sight, change, draft, refusal }: RefusedProps) {
  const missing = missingNameOf(change, refusal);
  const known = useQuery({ ...whereabouts(sight, missing ?? ''), enabled: missing !== undefined });
  if (missing !== undefined && known.isPending) return null;
  if (missing !== undefined && known.data?.kind === 'renamed' && known.data.name !== missing) {
    const referredBy = isReferred(refusal) && { referredBy: keyOf(change) };
    return <Renamed sight={sight} rename={{ from: missing, to: known.data.name, ...referredBy }} draft={draft} />;
  }
  if (change.step === 'add' && refusal.code === 'ALREADY_EXISTS') {
    return <Taken sight={sight} change={change} draft={draft} />;
  }
  return (
    <p className="problem" role="alert">
      <Text most={1_000}>{refusalText({ ...refusal, details: fieldsOf(change, refusal) })}</Text>
    </p>
  );
}

const fieldsOf = (change: Change, { code, details }: Refusal) =>
  Array.isArray(details) ? inFields(change, code, details.filter(isDetail)) : undefined;

/** What was to be added is there by now: it becomes a revision of that, or is called otherwise. */
function Taken({ sight, change, draft }: Pick<RefusedProps, 'sight' | 'draft'> & { readonly change: Added }) {
  const newest = useQuery(record(sight, change.name));
  return (
    <div className="conflict">
      <Loaded query={newest} what="what is there" isPart>
        {(head) => {
          const revision = revisionOf(change, head);
          return (
            <>
              <p role="alert">
                <Author createdBy={head.createdBy} />{' '}
                {head.active ? 'has written one of this name' : 'has retracted one of this name'} (
                <Moment at={head.versionCreatedAt} />
                ). {wayOn(change, { isActive: head.active, isRevisable: revision !== undefined })}
              </p>
              <WhyRetracted head={head} />
              {revision !== undefined && (
                <button type="button" onClick={() => draft.replace(change, revision)}>
                  {head.active ? 'Revise that one' : 'Bring that one back'}
                </button>
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
  if (!there.isRevisable) return 'Edit yours to give it another name, or drop it.';
  const otherwise = isText ? 'or drop yours' : 'or edit yours to give it another name';
  return there.isActive
    ? `Make yours a revision of it, and see the difference; ${otherwise}.`
    : `Bring it back with what you wrote, and see the difference; ${otherwise}.`;
}

/** To add what has another name by now would be to have it twice. */
function Renamed({ sight, rename, draft }: Pick<RefusedProps, 'sight' | 'draft'> & { readonly rename: Rename }) {
  const { from, to } = rename;
  const { data } = useQuery(names(sight, to));
  const last = data?.nextCursor === undefined ? data?.items.at(-1) : undefined;
  return (
    <div className="conflict">
      <p role="alert">
        {last === undefined ? (
          <>
            <Text>{from}</Text> was renamed: it is called <Text>{to}</Text> now.
          </>
        ) : (
          <>
            While you were at it, <Author createdBy={last.createdBy} /> renamed <Text>{from}</Text> to <Text>{to}</Text>{' '}
            (<Moment at={last.createdAt} />
            ).
          </>
        )}
      </p>
      <button type="button" onClick={() => draft.follow(rename)}>
        Go on with <Text>{to}</Text>
      </button>
    </div>
  );
}
