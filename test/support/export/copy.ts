// A copy of a repository, made by importing its exports. Both must give the same answers, except for identities.

import { formatDurableId, parseDurableId } from '@cairn/model/wref';
import type { ExportHeader } from '@cairn/protocol/export';
import { grantOn } from '../grant.ts';
import { importFile } from '../import/file.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import { commitInput, type TestRepository } from '../repository.ts';
import { type ExportPair, type ExportWorld, repoOf, type Sent } from './world.ts';

export interface RepositoryCopy {
  readonly original: ExportPair;
  readonly address: { readonly orgName: string; readonly repoName: string };
  readonly call: CallProcedure;
  readonly repoId: number;
}

const NAME = 'copy';

export async function createCopy(world: ExportWorld, original: ExportPair): Promise<RepositoryCopy> {
  const { orgName } = original.real.grant.repository;
  const call = caller(world.app, original.session);
  (await call('repo.create', { orgName, name: NAME })).data();
  const { repoId } = await grantOn(original.real.store, { orgName, repoName: NAME });
  return { original, address: { orgName, repoName: NAME }, call, repoId };
}

export interface ImportedRange {
  readonly since: number;
  readonly at: number;
  readonly rows: number;
}

export async function importRange(world: ExportWorld, copy: RepositoryCopy, { since, at, rows }: ImportedRange) {
  const file = await world.export(copy.original, `sinceRepoSeq=${since}&atRepoSeq=${at}`);
  const { header, lines, recordCount = -1 } = file;
  return await importFile(copy.call, copy.address, { header: header as ExportHeader, lines, recordCount }, { rows });
}

const DURABLE_ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;

/** Replaces the durable IDs and addresses of the original by those of the copy. */
export function inCopy<Value>({ original, repoId, address }: RepositoryCopy, value: Value): Value {
  const from = original.real.grant.repoId;
  const text = JSON.stringify(value).replaceAll(DURABLE_ID, (id) => {
    const parts = parseDurableId(id);
    return parts?.repoId === from ? formatDurableId({ ...parts, repoId }) : id;
  });
  return JSON.parse(text.replaceAll(`wh:${repoOf(original)}/`, `wh:${address.orgName}/${address.repoName}/`));
}

/** Removes the identities of both repositories. Texts that are not references keep those of the original on import. */
export function neutral({ original, repoId, address }: RepositoryCopy, value: unknown): unknown {
  const own = [original.real.grant.repoId, repoId];
  const text = JSON.stringify(value).replaceAll(DURABLE_ID, (id) => {
    const parts = parseDurableId(id);
    return parts !== undefined && own.includes(parts.repoId) ? `record ${parts.recordId}` : id;
  });
  const addresses = [`wh:${repoOf(original)}/`, `wh:${address.orgName}/${address.repoName}/`];
  return JSON.parse(addresses.reduce((before, one) => before.replaceAll(one, 'wh:own/'), text));
}

export async function sendToCopy(copy: RepositoryCopy, { sent, options }: Sent) {
  const { store } = copy.original.real;
  const grant = await grantOn(store, copy.address);
  const input = commitInput(grant, inCopy(copy, sent), inCopy(copy, options));
  return await store.write.commit(input).catch((error: unknown) => error);
}

export async function copyRepository({ original, address }: RepositoryCopy): Promise<TestRepository> {
  const { store } = original.real;
  const grant = await grantOn(store, address);
  return {
    store,
    grant,
    commit: (operations, options) => store.write.commit(commitInput(grant, operations, options)),
  };
}
