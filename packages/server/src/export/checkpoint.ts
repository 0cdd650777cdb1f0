// Checkpoints: exports that are kept under a name, until they are deleted.
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { Checkpoint } from '@cairn/protocol/checkpoint';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import type { AuditEntry } from '../access/audit.sql.ts';
import { audited, authorOf, shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { decodeCursor, encodeCursor, toPage } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { type FoundCheckpoint, listCheckpoints as findCheckpoints } from './checkpoint.sql.ts';
import { pinOf } from './export.ts';
import { authorizeExport, encodeExportToken } from './export-access.ts';
import { newExport } from './export-job.ts';

export async function listCheckpoints(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'repo.checkpoints'>,
): Promise<Page<Checkpoint>> {
  const { store, keys } = context;
  const grant = await authorizeExport(context, address);
  const list = { procedure: 'repo.checkpoints', parameters: { repoId: grant.repoId } } as const;
  const [after] = cursor === undefined ? [''] : decodeCursor<[string]>(keys.cursor, { ...list, cursor });
  const found = await findCheckpoints(store.database, grant, { after, limit: limit + 1, now: Date.now() });
  const page = toPage(found, {
    limit,
    cursorAfter: ({ name }) => encodeCursor(keys.cursor, { ...list, position: [name] }),
  });
  return { ...page, items: page.items.map((checkpoint) => shown(context, grant, checkpoint)) };
}

export async function createCheckpoint(
  context: Context,
  { name, description, atRepoSeq, ...address }: ProcedureArguments<'repo.createCheckpoint'>,
): Promise<Checkpoint> {
  const grant = await authorizeExport(context, address, 'repo:checkpoint-generate');
  const pin = pinOf(grant, { atRepoSeq });
  const made = await context.store.write(
    'createCheckpoint',
    { ...(await newExport(context, grant, pin)), name, description, createdBy: authorOf(context.principal) },
    told(context, grant, { action: 'repo.createCheckpoint', details: { name, atRepoSeq: pin.atRepoSeq } }),
  );
  return shown(context, grant, made);
}

export async function deleteCheckpoint(
  context: Context,
  { name, ...address }: ProcedureArguments<'repo.deleteCheckpoint'>,
): Promise<Checkpoint> {
  const grant = await authorizeExport(context, address, 'repo:checkpoint-generate');
  const deleted = await context.store.write(
    'deleteCheckpoint',
    { grant, name, now: Date.now() },
    told(context, grant, { action: 'repo.deleteCheckpoint', details: { name } }),
  );
  return shown(context, grant, deleted);
}

function shown({ keys }: Context, grant: Grant, { job, jobId, ...checkpoint }: FoundCheckpoint): Checkpoint {
  const { state, atRepoSeq, recordCount, sha256 } = job;
  return shownAuthor(grant, {
    ...checkpoint,
    state,
    atRepoSeq,
    exportToken: encodeExportToken(keys.exportToken, { repoId: grant.repoId, jobId }),
    ...(recordCount !== undefined && { recordCount }),
    ...(sha256 !== undefined && { contentSha256: sha256 }),
  });
}

interface Told {
  readonly action: AuditAction;
  readonly details: Readonly<Record<string, unknown>>;
}

function told(context: Context, { repository, orgId }: Grant, entry: Told): AuditEntry {
  return audited(context, { ...entry, target: `${repository.orgName}/${repository.name}`, places: [{ orgId }] });
}
