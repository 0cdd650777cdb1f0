// Where a page of references ended, and at which sequences its list is read: what a cursor keeps.

import type { Position } from '../access/cursor.ts';
import type { IncomingPlace } from './reference-in.sql.ts';

export interface ReferencePlace {
  readonly atRepoSeq: number;
  /** Other repositories and where they stood, as text, and after which there may be others. */
  readonly sources: string;
  readonly through: number | undefined;
  /** The path of the last reference of the record itself, or the last one to it. */
  readonly last: { readonly outgoing: string } | { readonly incoming: IncomingPlace };
}

/** No repository has the id 0. */
const NONE = 0;

export function encodePlace({ atRepoSeq, sources, through = NONE, last }: ReferencePlace): Position {
  const common = [atRepoSeq, sources, through];
  if ('outgoing' in last) return [...common, last.outgoing];
  const { repoId, role, recordId, path } = last.incoming;
  return [...common, repoId, role, recordId, path];
}

type Encoded =
  | readonly [number, string, number, path: string]
  | readonly [number, string, number, repoId: number, role: string, recordId: number, path: string];

export function decodePlace(position: Position): ReferencePlace {
  const [atRepoSeq, sources, through, ...last] = position as Encoded;
  return { atRepoSeq, sources, through: through === NONE ? undefined : through, last: lastOf(last) };
}

function lastOf(last: readonly (string | number)[]): ReferencePlace['last'] {
  const [first = '', role = '', recordId = 0, path = ''] = last;
  if (typeof first === 'string') return { outgoing: first };
  return { incoming: { repoId: first, role: String(role), recordId: Number(recordId), path: String(path) } };
}
