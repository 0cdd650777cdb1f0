// References by identity: what stands beside data whose text names other records. The text keeps the names of the moment
// it was written; the identities say whom it meant, whatever they are called since.

import { COLLECTIONS } from './collection.ts';
import { type DurableIdParts, formatDurableId, parseDurableId } from './durable-id.ts';

/** One version of one record, in any repository. */
export interface Identity extends DurableIdParts {
  readonly version: number;
}

/** Where in data a record is referred to, and which. */
export interface Reference extends Identity {
  /** A JSON pointer. */
  readonly path: string;
}

/** `<durable ID>@v<version>` */
export function formatIdentity({ version, repoId, recordId }: Identity): string {
  return `${formatDurableId({ repoId, recordId })}@v${version}`;
}

export function parseIdentity(text: string): Identity {
  const [durableId = '', version] = text.split('@v');
  const parts = parseDurableId(durableId);
  if (parts === undefined) throw new Error(`${text} is not an identity`);
  return { ...parts, version: Number(version) };
}

/** As stored and exported: `[["/room","<durable ID>@v1"]]`; null where there are none. */
export function formatReferences(references: readonly Reference[]): string | null {
  if (references.length === 0) return null;
  let text = '';
  for (const one of references)
    text += `${text === '' ? '[' : ','}[${JSON.stringify(one.path)},"${formatIdentity(one)}"]`;
  return `${text}]`;
}

export function parseReferences(text: string | null): Reference[] {
  if (text === null) return [];
  return (JSON.parse(text) as [string, string][]).map(([path, identity]) => ({ path, ...parseIdentity(identity) }));
}

export function isSameRecord(a: DurableIdParts, b: DurableIdParts): boolean {
  return a.repoId === b.repoId && a.recordId === b.recordId;
}

// How a record refers to another: as what it is about, in a field, or as the place of a member in a collection.

export const ABOUT = 'about';

export const MEMBER_ROLES: readonly string[] = Object.values(COLLECTIONS).flatMap(({ places }) => places);

/** In the order in which lists have them. */
export const REFERENCE_ROLES: readonly string[] = [ABOUT, 'field', ...MEMBER_ROLES].sort();
