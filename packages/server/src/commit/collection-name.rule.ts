// The name of a collection that was given none: derived from its type and its members, so that adding the same
// collection twice finds the first.
import { hash } from 'node:crypto';
import { COLLECTIONS, type CollectionType } from '../model/collection.ts';
import { type DurableIdParts, formatDurableId } from '../model/durable-id.ts';

const CHARACTERS = 32;

interface Collected {
  readonly type: CollectionType;
  readonly members: readonly DurableIdParts[];
  /** The repository that it is in. */
  readonly repoId: number;
}

/** Of its own repository only the number of a record counts: that is the same in a copy, which must find it too. */
export function deriveName({ type, members, repoId: own }: Collected): string {
  const identities = members.map(({ repoId, recordId }) =>
    formatDurableId({ repoId: repoId === own ? 0 : repoId, recordId }),
  );
  if (!COLLECTIONS[type].ordered) identities.sort();
  return hash('sha256', `${type} ${identities.join(' ')}`, 'hex').slice(0, CHARACTERS);
}
