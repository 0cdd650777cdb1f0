// The reference index: who refers to a record, from when to when. A row lasts as long as the reference does, over as
// many versions as keep it.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import type { Transaction, Value } from '../../engine/database.ts';
import { parseIdentity, parseReferences, type Reference } from '../../model/reference.ts';
import type { Head, RecordSet } from '../record-set.sql.ts';
import { CLOSE_REFS, INSERT_REFS } from '../statement.sql.ts';

export async function indexReferences(tx: Transaction, records: RecordSet): Promise<void> {
  const { repoId, repoSeq } = records.start;
  const closed: Value[][] = [];
  const opened: Value[][] = [];
  for (const head of records.touched()) {
    const { about, before, recordId, kind } = head;
    if (before === undefined && about !== null) {
      opened.push(openedRow(recordId, 'about', { path: '', ...parseIdentity(about.identity) }, repoSeq));
    }
    if (before?.refs === head.refs || (before === undefined && head.refs === null)) continue;
    const [were, are] = [before === undefined ? [] : parseReferences(before.refs), referencesOf(head)];
    for (const reference of missingIn(were, are)) {
      const { repoId: targetRepoId, recordId: targetId, path } = reference;
      closed.push([targetRepoId, targetId, roleOf(kind, path), recordId, path, repoSeq]);
    }
    for (const reference of missingIn(are, were)) {
      opened.push(openedRow(recordId, roleOf(kind, reference.path), reference, repoSeq));
    }
  }
  await tx.bulk(CLOSE_REFS, { common: [repoId], rows: closed });
  await tx.bulk(INSERT_REFS, { common: [repoId], rows: opened });
}

export function openedRow(recordId: Head['recordId'], role: string, target: Reference, repoSeq: number): Value[] {
  return [target.repoId, target.recordId, role, recordId, target.path, repoSeq, target.version];
}

/** How a record refers: a collection by the place of the member, others by a field. */
export function roleOf(kind: string, path: string): string {
  return kind === 'collection' ? (pointerTokens(path)[0] ?? '') : 'field';
}

function referencesOf({ refs, references }: Head): readonly Reference[] {
  return references ?? parseReferences(refs);
}

/** Of the first references, those that the second do not hold in the same place. */
export function missingIn(references: readonly Reference[], others: readonly Reference[]): readonly Reference[] {
  if (others.length === 0) return references;
  const held = new Set(others.map(keyOf));
  return references.filter((reference) => !held.has(keyOf(reference)));
}

const keyOf = ({ path, repoId, recordId, version }: Reference) => `${repoId} ${recordId} ${version} ${path}`;
