// The name of a collection that was given none: derived from its type and its members, so that adding the same
// collection twice finds the first.
import { hash } from 'node:crypto';
import { COLLECTIONS, type CollectionType } from '../../model/collection.ts';
import { type DurableIdParts, formatDurableId } from '../../model/durable-id.ts';

const CHARACTERS = 32;

export function deriveName(type: CollectionType, members: readonly DurableIdParts[]): string {
  const identities = members.map(({ repoId, recordId }) => formatDurableId({ repoId, recordId }));
  if (!COLLECTIONS[type].ordered) identities.sort();
  return hash('sha256', `${type} ${identities.join(' ')}`, 'hex').slice(0, CHARACTERS);
}
