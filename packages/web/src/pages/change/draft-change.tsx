import { findDifferences } from '@cairn/protocol/json-difference';
import type { OperationResult } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import type { Draft } from '../../app/draft.ts';
import type { Sight } from '../../app/sight.ts';
import { type Change, keyOf, titleOf } from '../../data/change.ts';
import { isObject } from '../../data/declaration.ts';
import { Differences } from '../../parts/difference.tsx';
import { RecordLink } from '../../parts/record-link.tsx';
import { LongText, Text } from '../../parts/text.tsx';
import { Value } from '../../parts/value.tsx';
import { FieldTable } from '../shape/field-table.tsx';
import { Conflict } from './conflict.tsx';
import { ShapeCheck } from './shape-check.tsx';

import '../../look/shape.css';

export type Refusal = NonNullable<OperationResult['error']>;

interface DraftChangeProps {
  readonly sight: Sight;
  readonly change: Change;
  readonly draft: Draft;
  readonly refusal: Refusal | undefined;
}

export function DraftChange({ sight, change, draft, refusal }: DraftChangeProps) {
  const title = titleOf(change);
  return (
    <li>
      <h2>
        <Text>{title}</Text>
      </h2>
      {refusal?.code === 'CONFLICT' && change.step !== 'add' ? (
        <Conflict sight={sight} change={change} draft={draft} />
      ) : (
        <>
          {refusal !== undefined && (
            <p className="problem" role="alert">
              {refusal.message}
            </p>
          )}
          <What sight={sight} change={change} />
          {change.step === 'revise' && change.base.kind === 'shape' && isObject(change.data) && (
            <ShapeCheck sight={sight} draft={{ name: change.name, data: change.data }} />
          )}
        </>
      )}
      <div className="actions">
        <EditLink sight={sight} change={change} />
        <button type="button" className="small" aria-label={`Drop: ${title}`} onClick={() => draft.drop(keyOf(change))}>
          Drop
        </button>
      </div>
    </li>
  );
}

function What({ sight, change }: { sight: Sight; change: Change }) {
  if (change.step === 'add' && change.kind === 'shape') {
    return <FieldTable sight={sight} data={change.data} indexes={[]} />;
  }
  if (change.step === 'add') {
    return (
      <>
        {change.about !== undefined && (
          <p>
            About <RecordLink wref={change.about} />
          </p>
        )}
        <Value data={change.data} />
      </>
    );
  }
  if (change.step === 'revise') return <Differences differences={findDifferences(change.base.data, change.data)} />;
  if (change.step === 'rename') return <p className="quiet">References to it follow.</p>;
  return change.reason === '' ? <p className="quiet">No reason is given.</p> : <LongText>{change.reason}</LongText>;
}

function EditLink({ sight: { orgName, repoName }, change }: { sight: Sight; change: Change }) {
  const { step, name } = change;
  const label = { 'aria-label': `Edit: ${titleOf(change)}` };
  const kind = change.step === 'add' ? change.kind : change.base.kind;
  if (kind === 'shape') {
    return (
      <Link
        to={step === 'add' ? '/$orgName/$repoName/new-shape' : '/$orgName/$repoName/edit-shape/$shapeName'}
        params={{ orgName, repoName, shapeName: name }}
        {...label}
      >
        Edit
      </Link>
    );
  }
  if (step === 'add') {
    const shape = name.split('/')[0] ?? '';
    return (
      <Link
        to="/$orgName/$repoName/new"
        params={{ orgName, repoName }}
        search={{ kind, name, ...(shape !== '' && { shape }) }}
        {...label}
      >
        Edit
      </Link>
    );
  }
  return (
    <Link
      to="/$orgName/$repoName/edit/$"
      params={{ orgName, repoName, _splat: name }}
      search={step === 'revise' ? {} : { step }}
      {...label}
    >
      Edit
    </Link>
  );
}
