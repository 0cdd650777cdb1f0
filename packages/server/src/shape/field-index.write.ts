// The index of field values: a row lasts as long as the value does, over as many versions as keep it.

import type { Content, Head } from '../commit/record-set.sql.ts';
import type { ShapeSet } from '../commit/shape-set.sql.ts';
import { CLOSE_FIELD_INDEX, INSERT_FIELD_INDEX } from '../commit/statement.sql.ts';
import type { Transaction, Value } from '../engine/database.ts';
import { valueAt } from '../model/json-pointer.ts';
import { parseReferences } from '../model/reference.ts';
import { indexKey } from './index-key.rule.ts';

type IndexedContent = Pick<Content, 'data' | 'value' | 'written' | 'refs' | 'references'>;

interface IndexCommit {
  readonly repoId: number;
  readonly repoSeq: number;
  readonly heads: readonly Head[];
  readonly shapes: ShapeSet;
}

export async function indexHeads(tx: Transaction, { repoId, repoSeq, heads, shapes }: IndexCommit): Promise<void> {
  const closed: Value[][] = [];
  const opened: Value[][] = [];
  for (const head of heads) {
    const fields = shapes.fieldsOf(head.shapeId);
    if (fields.length === 0 || isUnchanged(head)) continue;
    const [keyWas, keyIs] = [keysOf(head.before), keysOf(head)];
    for (const { fieldId, path } of fields) {
      const [was, is] = [keyWas(path), keyIs(path)];
      if (isSameKey(was, is)) continue;
      if (was !== undefined) closed.push([head.shapeId, fieldId, was, head.recordId, repoSeq]);
      if (is !== undefined) opened.push([head.shapeId, fieldId, is, head.recordId, repoSeq]);
    }
  }
  await tx.bulk(CLOSE_FIELD_INDEX, { common: [repoId], rows: closed });
  await tx.bulk(INSERT_FIELD_INDEX, { common: [repoId], rows: opened });
}

const noKey = () => undefined;

function isUnchanged({ data, refs, before }: Head): boolean {
  return data === before?.data && refs === before.refs;
}

/** The key of the value at a path, as content has it. */
export function keysOf(content: IndexedContent | undefined): (path: string) => Uint8Array | undefined {
  if (content === undefined) return noKey;
  const { written } = content;
  let data = content.value;
  const references = content.references ?? parseReferences(content.refs);
  return (path) => {
    const known = written?.keyPaths.indexOf(path) ?? -1;
    if (known !== -1) return written?.keys[known];
    const reference = references.find((one) => one.path === path);
    if (reference !== undefined) return indexKey(undefined, reference);
    data ??= JSON.parse(content.data);
    return indexKey(valueAt(data, path));
  };
}

export function isSameKey(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0);
}
