// Imports arrive append by append, are checked as a whole, and become visible when complete.

import { invalidField } from '@cairn/model/operation';
import { parseDurableId } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import type { ExportHeader, ImportFinished } from '@cairn/protocol/export';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import { authorizeBoth, authorizeReads, authorOf } from '../access/access.ts';
import type { Context, Operation } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { ReadableRepository } from '../commit/reference/target-set.sql.ts';
import { giveTurn } from '../engine/read-bounds.ts';
import { serverId } from '../export/export-stream.ts';
import { toReadable } from '../read/wref.ts';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import { findImport } from './import-row.sql.ts';
import { IMPORTED_MAX } from './line.rule.ts';

/** A call answers within about this time; clients repeat it for the rest. */
const STEPS_MS = 1_000;
const CLEARED_A_STEP = 5_000;

function authorizeImport(context: Context, { orgName, repoName }: RepositoryAddress): Promise<Grant> {
  return authorizeBoth(context, { orgName, repoName }, ['repo:admin', 'repo:write']);
}

export const beginImport: Operation<'import.begin'> = async (context, { header, ...address }) => {
  const grant = await authorizeImport(context, address);
  checkHeader(header);
  return await context.store.write.beginImport({ grant, header, createdBy: authorOf(context.principal) });
};

const COMMIT_ID = /^[0-9a-f]{64}$/;

function checkHeader({ formatVersion, sinceRepoSeq, atRepoSeq, commitId, repo, server }: ExportHeader): void {
  if (formatVersion !== EXPORT_FORMAT_VERSION) {
    throw fail('export-format-mismatch', {
      message: `header.formatVersion: This server reads format ${EXPORT_FORMAT_VERSION}, but the export has format ${formatVersion}. Import it on a server of the version that created it, and export again from there.`,
    });
  }
  if (sinceRepoSeq < 0 || sinceRepoSeq > atRepoSeq) {
    throw badHeader('sinceRepoSeq', `${sinceRepoSeq} is not between 0 and atRepoSeq, ${atRepoSeq}`);
  }
  if (atRepoSeq > IMPORTED_MAX) throw badHeader('atRepoSeq', `${atRepoSeq} is too large for a sequence`);
  if (atRepoSeq === 0 ? commitId !== null : !COMMIT_ID.test(commitId ?? '')) {
    throw badHeader('commitId', 'expected the id of the commit at atRepoSeq in hex, or null at sequence 0');
  }
  for (const [field, text] of Object.entries({ repo, server })) {
    if (text === '' || text.length > 300 || text.includes('\0')) throw badHeader(field, 'expected a name');
  }
}

function badHeader(field: string, problem: string) {
  return invalidField(`header.${field}`, `header.${field}: ${problem}. Send the first line of the export unchanged.`);
}

export const appendImport: Operation<'import.append'> = async (context, { importId, offset, lines, ...address }) => {
  const grant = await authorizeImport(context, address);
  refuseLarge(context, lines);
  const { dataBytes, dataDepth, importIncrementRows } = context.limits;
  const readable = await findReadable(context, grant, importId, lines);
  return await context.store.write.appendImport({
    grant,
    importId,
    offset,
    lines,
    readable,
    limits: { dataBytes, dataDepth, importIncrementRows },
  });
};

/** A single line may be as long as a request; several have a joint limit, so that other writes need not wait. */
function refuseLarge({ limits: { importLines, importBytes } }: Context, lines: string): void {
  const count = countLines(lines);
  const bytes = Buffer.byteLength(lines);
  if (count <= importLines && (bytes <= importBytes || count === 1)) return;
  throw fail('PAYLOAD_TOO_LARGE', {
    message: `lines: An append can have at most ${importLines} lines and ${importBytes} bytes. This one has ${count} and ${bytes}. Send several appends.`,
    details: { maxLines: importLines, maxBytes: importBytes },
  });
}

function countLines(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The first ten characters of a durable ID identify its repository. */
const POINTER = /"([0-7][0-9A-HJKMNP-TV-Z]{25})@v/g;

async function findReadable(
  context: Context,
  grant: Grant,
  importId: string,
  lines: string,
): Promise<ReadableRepository[]> {
  const row = await findImport(context.store.database, grant.repoId, importId);
  if (row === undefined || row.server !== (await serverId(context.store))) return [];
  const examples = new Map([...lines.matchAll(POINTER)].map(([, text = '']) => [text.slice(0, 10), text]));
  const max = context.limits.commitRepositories;
  if (examples.size > max + 1) {
    throw fail('PAYLOAD_TOO_LARGE', {
      message: `lines: The lines refer to more than ${max} repositories. Send fewer lines at once.`,
    });
  }
  const ids = [...examples.values()].flatMap((text) => parseDurableId(text)?.repoId ?? []);
  const repoIds = ids.filter((id) => id !== row.source_repo_id && id !== grant.repoId);
  const grants = repoIds.length === 0 ? [] : await authorizeReads(context, { addresses: [], repoIds });
  return grants.map(toReadable);
}

export const finishImport: Operation<'import.finish'> = async (context, { importId, end, ...address }) => {
  const grant = await authorizeImport(context, address);
  const until = performance.now() + STEPS_MS;
  for (;;) {
    const finished: ImportFinished = await context.store.write.finishImport({
      grant,
      importId,
      recordCount: end.recordCount,
    });
    if (finished.state === 'complete' || performance.now() > until) return finished;
    await giveTurn();
  }
};

export const abortImport: Operation<'import.abort'> = async (context, { importId, ...address }) => {
  const grant = await authorizeImport(context, address);
  const until = performance.now() + STEPS_MS;
  for (;;) {
    const done = await context.store.write.abortImport({ grant, importId, rowsMax: CLEARED_A_STEP });
    if (done || performance.now() > until) return { done };
    await giveTurn();
  }
};
