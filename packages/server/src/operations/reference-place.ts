// Where a page of references ended, and at which sequences its list is read: what a cursor keeps.
import type { IncomingPlace } from '../store/reference-in.ts';
import type { Position } from './cursor.ts';

export interface ReferencePlace {
  readonly atRepoSeq: number;
  /** Other repositories and where they stood, as text, and after which there may be others. */
  readonly sources: string;
  readonly through: number | undefined;
  /** The last reference of the record itself, or the last one to it. */
  readonly last: { readonly outgoing: number } | { readonly incoming: IncomingPlace };
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
  | readonly [number, string, number, number]
  | readonly [number, string, number, number, string, number, string];

export function decodePlace(position: Position): ReferencePlace {
  const [atRepoSeq, sources, through, number, role, recordId, path] = position as Encoded;
  return {
    atRepoSeq,
    sources,
    through: through === NONE ? undefined : through,
    last:
      role === undefined || recordId === undefined || path === undefined
        ? { outgoing: number }
        : { incoming: { repoId: number, role, recordId, path } },
  };
}
