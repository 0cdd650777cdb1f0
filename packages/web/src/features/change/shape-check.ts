// Which records would not fit a shape any more, once it is as it is drafted: the server is asked what it would say to each of
// them under the new one. Nothing is written.
import type { CommitResult } from '@cairn/sdk';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import type { Json } from '../shape/declaration.ts';
import { type Undeclared, withUndeclared } from '../shape/undeclared.ts';
import { formOf } from './form-field.ts';
import { refusalText } from './refusal-text.ts';

export interface ShapeDraft {
  readonly name: string;
  readonly data: Json;
  /** The records that the draft changes too, by name. */
  readonly drafted: readonly string[];
}

export interface Misfit {
  readonly name: string;
  readonly message: string;
}

export interface Checked {
  readonly checked: number;
  /** How many were left out, since the draft changes them too: what it makes of them is checked there. */
  readonly drafted: number;
  /** How many records hold data in fields that the shape would not declare, by field. */
  readonly undeclared: Undeclared;
  /** How many do not fit, and the first of them. */
  readonly total: number;
  readonly misfits: readonly Misfit[];
}

export const NOTHING_CHECKED: Checked = { checked: 0, drafted: 0, undeclared: {}, total: 0, misfits: [] };

/** So many records are asked about at once. */
const AT_ONCE = 200;
/** So many that do not fit are told one by one. */
const MISFITS_MOST = 100;

/** Tells how far it has come after each part. */
export async function* checkRecords(
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
