import { ANY_SHAPE } from '@cairn/model/declaration';
import { isJsonObject, type JsonObject } from '@cairn/model/json';
import type { CommitResult } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { problemOf } from '../../app/problem.ts';
import { description } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { refusalText } from '../../ui/refusal-text.ts';
import { Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { addedShapes, type Undeclared, withUndeclared } from '../shape/declaration.ts';
import { fieldsOf } from '../shape/fields.ts';
import { formOf } from './form-field.ts';
import { useDraft } from './kept-draft.ts';

export function ShapeCheck({ sight, draft }: { sight: Sight; draft: Omit<ShapeDraft, 'drafted'> }) {
  const { changes } = useDraft(sight);
  const drafted = changes.filter(({ step }) => step === 'revise' || step === 'retract').map(({ name }) => name);
  const { far, isDone, error } = useCheck(sight, { ...draft, drafted });
  return (
    <section className="shape-check" aria-label={`Records that would not match ${draft.name}`}>
      <p role="status">{checkStatus(far, isDone)}</p>
      {isDone && far.drafted > 0 && (
        <p className="quiet">
          This check does not include {recordsText(far.drafted)} in your draft. The draft checks them.
        </p>
      )}
      {isDone && <UndeclaredFields undeclared={far.undeclared} />}
      {error !== undefined && <p className="problem">{problemOf(error).advice}</p>}
      {far.total > 0 && (
        <>
          <p className="quiet">
            They keep their data and their current version of the shape until somebody revises them.
          </p>
          <ul>
            {far.misfits.map(({ name, message }) => (
              <li key={name}>
                <RecordLink wref={name} />: <Text most={400}>{message}</Text>
              </li>
            ))}
          </ul>
          {far.total > far.misfits.length && (
            <p className="quiet">And {(far.total - far.misfits.length).toLocaleString('en')} more.</p>
          )}
        </>
      )}
    </section>
  );
}

function UndeclaredFields({ undeclared }: Pick<Checked, 'undeclared'>) {
  const fields = Object.entries(undeclared);
  if (fields.length === 0) return null;
  return (
    <p className="quiet">
      The shape would no longer declare these fields. Records keep their data in them:{' '}
      <Text most={400}>{fields.map(([name, count]) => `${name} (${recordsText(count)})`).join(', ')}</Text>.
    </p>
  );
}

function checkStatus({ checked, drafted, total }: Checked, isDone: boolean): string {
  if (!isDone) return `${recordsText(checked)} checked so far, ${total.toLocaleString('en')} would not match…`;
  if (checked === 0) return drafted === 0 ? 'No record has this shape yet.' : 'No other records have this shape.';
  return total === 0
    ? checked === 1
      ? 'The only record would match.'
      : `All ${recordsText(checked)} would match.`
    : `${total.toLocaleString('en')} of ${recordsText(checked)} would not match.`;
}

function useCheck({ orgName, repoName }: Sight, { name, data, drafted }: ShapeDraft) {
  const [state, setState] = useState<{ far: Checked; isDone: boolean; error?: unknown }>({
    far: NOTHING_CHECKED,
    isDone: false,
  });
  const text = JSON.stringify({ data, drafted });
  useEffect(() => {
    const controller = new AbortController();
    const check = async () => {
      setState({ far: NOTHING_CHECKED, isDone: false });
      const draft = { name, ...JSON.parse(text) };
      for await (const far of checkRecords({ orgName, repoName }, draft, controller.signal)) {
        setState({ far, isDone: false });
      }
      setState((before) => ({ ...before, isDone: true }));
    };
    check().catch((error: unknown) => {
      if (!controller.signal.aborted) setState((before) => ({ ...before, isDone: true, error }));
    });
    return () => controller.abort();
  }, [orgName, repoName, name, text]);
  return state;
}

// Validates all records against a drafted shape. Nothing is written.

interface ShapeDraft {
  readonly name: string;
  readonly data: JsonObject;
  readonly drafted: readonly string[];
}

interface Misfit {
  readonly name: string;
  readonly message: string;
}

interface Checked {
  readonly checked: number;
  readonly drafted: number;
  readonly undeclared: Undeclared;
  readonly total: number;
  readonly misfits: readonly Misfit[];
}

const NOTHING_CHECKED: Checked = { checked: 0, drafted: 0, undeclared: {}, total: 0, misfits: [] };
const AT_ONCE = 200;
const MISFITS_MOST = 100;

async function* checkRecords(
  { orgName, repoName }: Sight,
  { drafted, ...shape }: ShapeDraft,
  signal: AbortSignal,
): AsyncGenerator<Checked> {
  const revise = { operation: 'revise', kind: 'shape', ...shape };
  const form = formOf(shape.data.fields);
  let cursor: string | undefined;
  let far = NOTHING_CHECKED;
  do {
    const page = await client.thing.query(orgName, repoName, {
      shape: shape.name,
      limit: AT_ONCE,
      signal,
      ...(cursor !== undefined && { cursor }),
    });
    const all = page.items.filter(({ kind }) => kind !== 'shape');
    const records = all.filter(({ name }) => !drafted.includes(name));
    far = { ...far, drafted: far.drafted + all.length - records.length };
    if (records.length > 0) {
      const operations = [revise, ...records.map(({ name, data }) => ({ operation: 'revise', name, data }))];
      const answer = await client.commit.validate(orgName, repoName, { operations, atomic: false, signal });
      const misfits = misfitsOf(answer);
      far = {
        ...far,
        checked: far.checked + records.length,
        undeclared: withUndeclared(far.undeclared, records, form),
        misfits: [...far.misfits, ...misfits].slice(0, MISFITS_MOST),
        total: far.total + misfits.length,
      };
      yield far;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  yield far;
}

/** The first operation is the shape's own. */
const misfitsOf = ({ operations }: CommitResult): Misfit[] =>
  operations.flatMap(({ opIndex, name, error }) =>
    opIndex === 0 || error === undefined ? [] : [{ name, message: refusalText(error) }],
  );

// A reference to an unknown shape is allowed, but usually a typo.

export function useKnownShapes(sight: Sight): readonly string[] | undefined {
  const { data } = useQuery(description(sight));
  const { changes } = useDraft(sight);
  if (data === undefined) return undefined;
  const renamed = changes.flatMap((change) =>
    change.step === 'rename' && change.base.kind === 'shape' ? [change.newName] : [],
  );
  return [...new Set([...data.shapes.map(({ name }) => name), ...addedShapes(changes), ...renamed])];
}

export function UnknownShapes({ named, known }: { named: readonly string[]; known: readonly string[] | undefined }) {
  const unknown = known === undefined ? [] : [...new Set(named)].filter((name) => !known.includes(name));
  return (
    <span role="status">
      {unknown.length > 0 && (
        <strong>
          The shape <Text>{unknown.join(', ')}</Text> does not exist yet. Until it does, the field must be empty.
        </strong>
      )}
    </span>
  );
}

export function UnknownShapesIn({ sight, name, data }: { sight: Sight; name: string; data: unknown }) {
  const known = useKnownShapes(sight);
  const fields = isJsonObject(data) ? fieldsOf(data.fields) : [];
  const named = fields.flatMap(({ refersTo = [] }) => refersTo).filter((one) => one !== ANY_SHAPE && one !== name);
  return <UnknownShapes named={named} known={known} />;
}
