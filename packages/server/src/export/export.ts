// An export in one of its three modes (spec 4.2): a stream, a job that is minted, or one that is redeemed.
import type { ExportMinted, ExportStatus } from '@cairn/protocol/export';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { type RepositoryAddress, repositoryNotFound } from '../repository/repository.sql.ts';
import { authorizeExport } from './export-access.ts';
import { mintExport, redeemExport } from './export-job.ts';
import { type AskedExport, type ExportParameters, readExport } from './export-request.ts';
import { exportLines } from './export-stream.ts';

type Lines = AsyncGenerator<Uint8Array<ArrayBuffer>>;

export type OpenedExport =
  | { readonly kind: 'stream'; readonly lines: Lines }
  | { readonly kind: 'minted'; readonly minted: ExportMinted }
  | { readonly kind: 'redeemed'; readonly status: ExportStatus };

export interface ExportRequest {
  readonly address: RepositoryAddress;
  /** Read only once it is known that the caller may export. */
  readonly parameters: () => ExportParameters;
  /** The caller as they are now, for what takes long: a token may end, and a role. */
  readonly refresh: () => Promise<Context>;
}

export async function openExport(context: Context, request: ExportRequest): Promise<OpenedExport> {
  const grant = await authorizeExport(context, request.address);
  const asked = await readExport(context, grant, request.parameters());
  if (asked.kind === 'redeem') return { kind: 'redeemed', status: await redeemExport(context, grant, asked.token) };
  if (asked.kind === 'mint') return { kind: 'minted', minted: await mintExport(context, grant, asked) };
  return { kind: 'stream', lines: streamed(context, grant, { ...request, asked }) };
}

interface Streamed extends ExportRequest {
  readonly asked: Extract<AskedExport, { kind: 'stream' }>;
}

/** Authority lasts no longer than it holds: who has lost it gets no further page, and no end mark. */
async function* streamed({ store }: Context, grant: Grant, { asked, address, refresh }: Streamed): Lines {
  const { orgName, name } = grant.repository;
  for await (const lines of exportLines(store, { grant, repo: `${orgName}/${name}`, ...asked })) {
    const now = await authorizeExport(await refresh(), address);
    // Another repository may have been given the name meanwhile.
    if (now.repoId !== grant.repoId) throw repositoryNotFound();
    yield lines;
  }
}
