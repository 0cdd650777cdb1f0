// What a filter would have matched: the newest operations, held against it as the writer does with those of each commit.
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Context } from '../access/context.ts';
import { authorizeSubscribing } from '../access/home.ts';
import { type LatestOperation, latestOperations } from '../read/latest-operation.sql.ts';
import { isBuiltInShape } from '../shape/built-in-shape.rule.ts';
import { storeFilter } from './filter-shape.sql.ts';
import { compileFilter, type StoredFilter, toFiltered } from './subscription-filter.rule.ts';
import { checkSubject, readSource } from './subscription-source.ts';

const OPERATIONS_MAX = 100;

export async function previewSubscription(
  context: Context,
  { filter, source, ...address }: ProcedureArguments<'subscription.preview'>,
): Promise<ProcedureOutput<'subscription.preview'>> {
  const home = await authorizeSubscribing(context, address);
  checkSubject(home, { filter, source });
  const watched = source === undefined ? home.grant : await readSource(context, home, source);
  if (watched === undefined) return { items: [] };
  const { database } = context.store;
  const kept = await storeFilter(database, { watchedId: watched.repoId, filter });
  const matches = compileFilter(JSON.parse(kept) as StoredFilter);
  const latest = await latestOperations(database, watched, OPERATIONS_MAX);
  return { items: latest.map((one) => ({ ...shown(one), matches: !isMadeByItself(one) && matches(filtered(one)) })) };
}

/** A built-in shape is made with its first record, and told to nobody. */
function isMadeByItself({ shapeId, operation: { operation, name = '' } }: LatestOperation): boolean {
  return shapeId === 0 && operation === 'add' && isBuiltInShape(name);
}

function filtered({ shapeId, operation: { operation, kind = 'thing', name = '', submittedName } }: LatestOperation) {
  return toFiltered({ operation, kind, shapeId, name, nameBefore: submittedName });
}

function shown({
  repoSeq,
  operation: { opIndex, operation, kind = 'thing', name = '', submittedName },
}: LatestOperation) {
  const from = submittedName !== undefined && { from: submittedName };
  return { repoSeq, opIndex, operation, kind, name, ...from };
}
