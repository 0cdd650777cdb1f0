// Shapes: read like records, written by commits of one operation.
import { parseDurableId } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import type { ShapeItem } from '@cairn/protocol/record';
import { authorize, followOf } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { forWriter, unnarrowed, type WriteInput, writeOne } from '../commit/commit.ts';
import { provisionShape } from '../component/provision.ts';
import { listShapes as findShapes } from '../read/record.sql.ts';
import { itemsWithin, keptSequence, readHistory, readRecord, sequenceOf } from '../read/thing.ts';
import { listIndexes } from './field-index.sql.ts';

export const listShapes: Operation<'shape.list'> = async (context, input) => {
  const { cursor, limit, atRepoSeq: asked, includeRetracted = false, ...address } = input;
  const { store } = context;
  const grant = await authorize(context, address, 'repo:read');
  const list = openList<[string, number]>(
    context,
    'shape.list',
    { repoId: grant.repoId, atRepoSeq: asked, includeRetracted },
    { cursor, limit },
  );
  const [after, kept] = list.after ?? [];
  const atRepoSeq = keptSequence(grant, kept) ?? sequenceOf(grant, asked);
  const found = await findShapes(store.database, grant, {
    atRepoSeq,
    after,
    includeRetracted,
    limit: limit + 1,
    follow: followOf(context),
  });
  const shown = found.map((shape) => shownAuthor(grant, shape));
  return list.toPage(
    shown,
    ({ name }) => [name, atRepoSeq],
    Math.min(limit, itemsWithin(shown, context.limits.answerBytes)),
  );
};

export const getShape: Operation<'shape.get'> = async (context, input) => {
  const { name, atRepoSeq, includeRetracted = false, ...address } = input;
  refuseThing(name);
  const grant = await authorize(context, address, 'repo:read');
  return await readShape(context, grant, { wref: name, atRepoSeq, includeRetracted });
};

async function readShape(
  context: Context,
  grant: Grant,
  request: { wref: string; atRepoSeq?: number | undefined; includeRetracted: boolean },
): Promise<ShapeItem> {
  const item = await readRecord(context, grant, { ...request, what: 'shape' });
  const shapeId = parseDurableId(item.durableId)?.recordId ?? 0;
  return { ...item, indexes: await listIndexes(context.store.database, grant, { shapeId, repoSeq: item.repoSeq }) };
}

export const getShapeHistory: Operation<'shape.history'> = async (context, input) => {
  const { name, atRepoSeq, cursor, limit, ...address } = input;
  refuseThing(name);
  const grant = await authorize(context, address, 'repo:read');
  return await readHistory(context, grant, { procedure: 'shape.history', wref: name, atRepoSeq, cursor, limit });
};

function refuseThing(name: string): void {
  if (!name.includes('/')) return;
  throw fail('VALIDATION_ERROR', { message: `${name} is not a shape name. Use thing.get for other records.` });
}

export const createShape: Operation<'shape.create'> = async (context, input) => {
  const change = { operation: 'add', kind: 'shape', name: input.name, data: dataOf(input) };
  const named = { operation: change, name: input.name };
  if (context.principal.kind !== 'component') return await writeNamedShape(context, input, named);
  return await writeNamedShape(context, input, named, () => provisionShape(context, input));
};

export const reviseShape: Operation<'shape.revise'> = async (context, input) => {
  const { expectedVersion } = input;
  const pin = expectedVersion !== undefined && { expectedVersion };
  return await writeShape(context, input, { operation: 'revise', kind: 'shape', data: dataOf(input), ...pin });
};

export const retractShape: Operation<'shape.retract'> = async (context, input) => {
  const { reason, expectedVersion } = input;
  const given = { ...(reason !== undefined && { reason }), ...(expectedVersion !== undefined && { expectedVersion }) };
  return await writeShape(context, input, { operation: 'retract', kind: 'shape', ...given });
};

function dataOf({ fields, description }: { fields: unknown; description?: string | undefined }) {
  return { fields, ...(description !== undefined && { description }) };
}

async function writeShape(context: Context, input: WriteInput & { name: string }, change: object): Promise<ShapeItem> {
  return await writeNamedShape(context, input, { operation: { ...change, name: input.name }, name: input.name });
}

export const renameShape: Operation<'shape.rename'> = async (context, input) => {
  const { name, newName, expectedVersion } = input;
  const pin = expectedVersion !== undefined && { expectedVersion };
  const operation = { operation: 'rename', kind: 'shape', name, newName, ...pin };
  return await writeNamedShape(context, input, { operation, name: newName });
};

async function writeNamedShape(
  context: Context,
  input: WriteInput,
  { operation, name }: { operation: object; name: string },
  write = () => writeOne(context, input, operation),
): Promise<ShapeItem> {
  const { grant, atRepoSeq } = await write();
  const { indexes, ...item } = await readShape(context, unnarrowed(grant), {
    wref: name,
    atRepoSeq,
    includeRetracted: true,
  });
  const written = forWriter(context, grant, item, operation);
  // Indexes name fields, so they are hidden with the data.
  return { ...written, indexes: written.data === null ? [] : indexes };
}
