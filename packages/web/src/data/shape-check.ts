// Which records would not fit a shape any more, once it is as it is drafted: the server is asked what it would say to each of
// them under the new one. Nothing is written.
import type { CommitResult } from '@cairn/sdk';
import { client } from '../app/session.ts';
import type { Sight } from '../app/sight.ts';
import type { Json } from './declaration.ts';

export interface ShapeDraft {
  readonly name: string;
  readonly data: Json;
}

export interface Misfit {
  readonly name: string;
  readonly message: string;
}

export interface Checked {
  readonly checked: number;
  /** How many do not fit, and the first of them. */
  readonly total: number;
  readonly misfits: readonly Misfit[];
}

/** So many records are asked about at once. */
const AT_ONCE = 200;
/** So many that do not fit are told one by one. */
const MISFITS_MOST = 100;

/** Tells how far it has come after each part. */
export async function* checkRecords(sight: Sight, draft: ShapeDraft, signal: AbortSignal): AsyncGenerator<Checked> {
  const { orgName, repoName } = sight;
  const revise = { operation: 'revise', kind: 'shape', ...draft };
  let cursor: string | undefined;
  let far: Checked = { checked: 0, total: 0, misfits: [] };
  do {
    const page = await client.thing.query(orgName, repoName, {
      shape: draft.name,
      limit: AT_ONCE,
      signal,
      ...(cursor !== undefined && { cursor }),
    });
    const records = page.items.filter(({ kind }) => kind !== 'shape');
    if (records.length > 0) {
      const operations = [revise, ...records.map(({ name, data }) => ({ operation: 'revise', name, data }))];
      const answer = await client.commit.validate(orgName, repoName, { operations, atomic: false, signal });
      const misfits = misfitsOf(answer);
      far = {
        checked: far.checked + records.length,
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
    opIndex === 0 || error === undefined ? [] : [{ name, message: error.message }],
  );
