// Tokens of components: setup tokens last for one setup call, runtime tokens for as long as the component is installed.

import type { SetupResult } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import type { NarrowingEntry } from '../access/narrowing.rule.ts';
import { lockHomes } from '../action/firing.sql.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import { lockComponent } from './declare.sql.ts';
import type { TokenAccess } from './manifest.rule.ts';

type ComponentTokenKind = 'setup' | 'runtime';

export interface NewComponentToken {
  readonly kind: ComponentTokenKind;
  readonly hash: Uint8Array;
  readonly repoId: number;
  readonly component: string;
  readonly reads: readonly NarrowingEntry[];
  readonly writes: readonly NarrowingEntry[];
  readonly installId?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface ComponentHolder extends Omit<NewComponentToken, 'createdAt' | 'kind'> {
  readonly stage: ComponentTokenKind;
  readonly tokenId: number;
  readonly orgName: string;
  readonly repoName: string;
  readonly paused: boolean;
}

export async function createComponentToken(tx: Transaction, token: NewComponentToken): Promise<void> {
  const { kind, hash, repoId, component, reads, writes, createdAt, expiresAt, installId = null } = token;
  await tx.query(
    `insert into component_token (kind, hash, repo_id, component, reads, writes, created_at, expires_at, install_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [kind, hash, repoId, component, JSON.stringify(reads), JSON.stringify(writes), createdAt, expiresAt, installId],
  );
}

interface HolderRow extends Omit<ComponentHolder, 'hash' | 'reads' | 'writes' | 'paused' | 'installId'> {
  readonly reads: string | null;
  readonly writes: string | null;
  readonly paused: number;
  readonly installId: string | null;
}

const HOLDER_COLUMNS = `component_token.id as "tokenId", component_token.kind as stage, component_token.repo_id as "repoId",
  component_token.component, component_token.reads, component_token.writes, component_token.paused,
  component_token.expires_at as "expiresAt", component_token.install_id as "installId", organization.name as "orgName",
  repository.name as "repoName"`;
const WITH_PLACE = `join repository on repository.id = component_token.repo_id
  join organization on organization.id = repository.organization_id`;
const STANDS =
  'component_token.revoked_at is null and component_token.expires_at > $1 and repository.deleted_at is null';

const FIND_HOLDERS: BulkStatement = {
  each: `select ${HOLDER_COLUMNS} from component_token ${WITH_PLACE} where component_token.hash = $2 and ${STANDS}`,
  set: `select k.ord::int as ord, ${HOLDER_COLUMNS} from unnest($2::bytea[]) with ordinality as k (hash, ord)
    join component_token on component_token.hash = k.hash ${WITH_PLACE} where ${STANDS}`,
};

export async function findComponentHolder(
  reader: Reader,
  { hash, now }: { hash: Uint8Array; now: number },
): Promise<ComponentHolder | undefined> {
  const [holder] = await findComponentHolders(reader, { hashes: [hash], now });
  return holder;
}

export async function findComponentHolders(
  reader: Reader,
  { hashes, now }: { hashes: readonly Uint8Array[]; now: number },
): Promise<(ComponentHolder | undefined)[]> {
  const rows = await reader.bulk<HolderRow>(FIND_HOLDERS, { common: [now], rows: hashes.map((hash) => [hash]) });
  const byHash = new Map(rows.map(({ ord, ...row }) => [ord, row]));
  return hashes.map((hash, ord) => {
    const row = byHash.get(ord);
    return row && toHolder(row, hash);
  });
}

function toHolder(row: HolderRow, hash: Uint8Array): ComponentHolder {
  return {
    ...row,
    hash,
    reads: row.reads === null ? [] : JSON.parse(row.reads),
    writes: row.writes === null ? [] : JSON.parse(row.writes),
    paused: row.paused === 1,
    installId: row.installId ?? undefined,
  };
}

export interface InstallKey {
  readonly repoId: number;
  readonly installId: string;
}

export async function revokeInstallTokens(
  tx: Transaction,
  { repoId, installId, now }: InstallKey & { now: number },
): Promise<void> {
  await tx.query(
    'update component_token set revoked_at = $3 where repo_id = $1 and install_id = $2 and revoked_at is null',
    [repoId, installId, now],
  );
}

export async function setTokensPaused(
  tx: Transaction,
  { repoId, installId, paused }: InstallKey & { paused: boolean },
): Promise<void> {
  const sql = 'update component_token set paused = $3 where repo_id = $1 and install_id = $2';
  await tx.query(sql, [repoId, installId, Number(paused)]);
}

export async function setTokenAccess(
  tx: Transaction,
  { repoId, installId, reads, writes }: InstallKey & TokenAccess,
): Promise<void> {
  await tx.query(
    `update component_token set reads = $3, writes = $4 where repo_id = $1 and install_id = $2 and kind = 'runtime'`,
    [repoId, installId, JSON.stringify(reads), JSON.stringify(writes)],
  );
}

interface Minting {
  readonly grant: Grant;
  readonly installId: string;
  readonly manifestHash: string;
  readonly tokens: readonly Omit<NewComponentToken, 'component'>[];
  readonly now: number;
}

/** Two runtime tokens stay valid, the newest and the last confirmed, so a failed call does not break the component. */
export async function mintInstallTokens(tx: Transaction, minting: Minting): Promise<void> {
  const { grant, installId, tokens, now } = minting;
  const key = { repoId: grant.repoId, installId };
  await lockHomes(tx, [grant.repoId]);
  await requireWritable(tx, grant);
  const { fullName: component } = await lockComponent(tx, await requireStanding(tx, minting));
  await forgetTokens(tx, { ...key, now });
  for (const token of tokens) await createComponentToken(tx, { ...token, component });
}

async function requireStanding(tx: Transaction, { grant, installId, manifestHash }: Minting): Promise<number> {
  const [row] = await tx.query<{ state: string; manifest_hash: string; component_id: number }>(
    'select state, manifest_hash, component_id from component_install where repo_id = $1 and install_id = $2',
    [grant.repoId, installId],
  );
  if (row === undefined || row.state === 'uninstalled') throw refuseExchange('not_installed');
  if (row.state === 'paused') throw refuseExchange('paused');
  if (row.manifest_hash !== manifestHash) throw refuseExchange('changed');
  return row.component_id;
}

function refuseExchange(reason: keyof typeof MESSAGES): CairnError {
  return fail('CONFLICT', { message: MESSAGES[reason], details: { reason } });
}

const MESSAGES = {
  not_installed: 'The component is no longer installed here. Install it again.',
  paused: 'The component is paused here. Resume it first.',
  changed: 'The component was updated in the meantime. Resolve it again, and call setup for the installed version.',
} as const;

async function forgetTokens(tx: Transaction, { repoId, installId, now }: InstallKey & { now: number }): Promise<void> {
  await tx.query(
    `delete from component_token where repo_id = $1 and install_id = $2
       and (kind = 'setup' or confirmed_at is null or revoked_at is not null or expires_at <= $3)`,
    [repoId, installId, now],
  );
}

export interface SetupEnd {
  readonly grant: Grant;
  readonly installId: string;
  readonly manifestHash: string;
  readonly result: SetupResult;
  readonly hashes: Readonly<Partial<Record<ComponentTokenKind, Uint8Array>>>;
  readonly startedAt: number;
  readonly now: number;
}

export async function endSetup(tx: Transaction, end: SetupEnd): Promise<void> {
  const { grant, hashes, result, now } = end;
  await lockHomes(tx, [grant.repoId]);
  const overtaken = await isOvertaken(tx, end);
  if (hashes.setup !== undefined) {
    const sql = 'update component_token set revoked_at = $2 where hash = $1 and revoked_at is null';
    await tx.query(sql, [hashes.setup, now]);
  }
  if (overtaken) return;
  if (result.status === 'completed') await confirmToken(tx, end);
  await keepResult(tx, end);
}

/** A later call or the teardown has revoked this call's tokens, so its result is out of date. */
async function isOvertaken(tx: Transaction, { hashes }: SetupEnd): Promise<boolean> {
  for (const hash of Object.values(hashes)) {
    const found = await tx.query('select id from component_token where hash = $1 and revoked_at is null', [hash]);
    if (found.length === 0) return true;
  }
  return false;
}

/** The component now uses the token of this call, so earlier runtime tokens end, also those of concurrent calls. */
async function confirmToken(tx: Transaction, { grant, installId, hashes, startedAt, now }: SetupEnd): Promise<void> {
  const [confirmed] =
    hashes.runtime === undefined
      ? []
      : await tx.query<{ id: number }>(
          'update component_token set confirmed_at = $2 where hash = $1 and revoked_at is null returning id',
          [hashes.runtime, now],
        );
  const [before, bound] = confirmed === undefined ? ['created_at <= $4', startedAt] : ['id < $4', confirmed.id];
  await tx.query(
    `update component_token set revoked_at = $3 where repo_id = $1 and install_id = $2 and kind = 'runtime'
       and revoked_at is null and ${before}`,
    [grant.repoId, installId, now, bound],
  );
}

/** Ignores a failure after a later success, and results for another version. */
async function keepResult(tx: Transaction, end: SetupEnd): Promise<void> {
  const { grant, installId, manifestHash, result, startedAt, now } = end;
  await tx.query(
    `update component_install set setup_status = $3, setup_http_status = $4, setup_message = $5, setup_manifest_hash = $6,
       updated_at = $7
     where repo_id = $1 and install_id = $2 and state <> 'uninstalled' and manifest_hash = $6
       and not ($8 = 1 and setup_status = 'completed' and setup_manifest_hash = $6 and updated_at > $9)`,
    [
      ...[grant.repoId, installId, result.status, result.httpStatus ?? null, result.message ?? null],
      ...[manifestHash, now, Number(result.status === 'failed'), startedAt],
    ],
  );
}
