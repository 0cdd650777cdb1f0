// Tokens of components: for one set-up call, or for as long as the component is installed in its one repository.
import type { NarrowingEntry } from '../access/narrowing.rule.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import type { TokenAccess } from './runtime-access.rule.ts';

export type ComponentTokenKind = 'setup' | 'runtime';

export interface NewComponentToken {
  readonly kind: ComponentTokenKind;
  readonly hash: Uint8Array;
  readonly repoId: number;
  /** As `org/name`. */
  readonly component: string;
  /** Which records; empty: none. */
  readonly reads: readonly NarrowingEntry[];
  readonly writes: readonly NarrowingEntry[];
  /** The install that it is for. */
  readonly installId?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What authentication needs. */
export interface ComponentHolder extends Omit<NewComponentToken, 'createdAt' | 'kind'> {
  readonly stage: ComponentTokenKind;
  readonly tokenId: number;
  readonly orgName: string;
  readonly repoName: string;
  readonly paused: boolean;
}

export async function createComponentToken(tx: Transaction, token: NewComponentToken): Promise<void> {
  await tx.query(
    `insert into component_token (kind, hash, repo_id, component, reads, writes, created_at, expires_at, install_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      token.kind,
      token.hash,
      token.repoId,
      token.component,
      JSON.stringify(token.reads),
      JSON.stringify(token.writes),
      token.createdAt,
      token.expiresAt,
      token.installId ?? null,
    ],
  );
}

interface ComponentRow {
  readonly id: number;
  readonly kind: ComponentTokenKind;
  readonly repo_id: number;
  readonly component: string;
  readonly reads: string | null;
  readonly writes: string | null;
  readonly paused: number;
  readonly expires_at: number;
  readonly install_id: string | null;
  readonly org_name: string;
  readonly repo_name: string;
}

const HOLDER_COLUMNS = `component_token.id, component_token.kind, component_token.repo_id, component_token.component,
  component_token.reads, component_token.writes, component_token.paused, component_token.expires_at,
  component_token.install_id, organization.name as org_name, repository.name as repo_name`;
const WITH_PLACE = `join repository on repository.id = component_token.repo_id
  join organization on organization.id = repository.organization_id`;
const STANDS =
  'component_token.revoked_at is null and component_token.expires_at > $1 and repository.deleted_at is null';

const FIND_HOLDERS: BulkStatement = {
  each: `select ${HOLDER_COLUMNS} from component_token ${WITH_PLACE} where component_token.hash = $2 and ${STANDS}`,
  set: `select k.ord::int as ord, ${HOLDER_COLUMNS} from unnest($2::bytea[]) with ordinality as k (hash, ord)
    join component_token on component_token.hash = k.hash ${WITH_PLACE} where ${STANDS}`,
};

/** A token that was torn down, or whose repository is deleted, has no holder. */
export async function findComponentHolder(
  reader: Reader,
  { hash, now }: { hash: Uint8Array; now: number },
): Promise<ComponentHolder | undefined> {
  const [holder] = await findComponentHolders(reader, { hashes: [hash], now });
  return holder;
}

/** In the order of the hashes. */
export async function findComponentHolders(
  reader: Reader,
  { hashes, now }: { hashes: readonly Uint8Array[]; now: number },
): Promise<(ComponentHolder | undefined)[]> {
  const rows = await reader.bulk<ComponentRow>(FIND_HOLDERS, { common: [now], rows: hashes.map((hash) => [hash]) });
  const byHash = new Map(rows.map(({ ord, ...row }) => [ord, row]));
  return hashes.map((hash, ord) => {
    const row = byHash.get(ord);
    return row && toHolder(row, hash);
  });
}

function toHolder(row: ComponentRow, hash: Uint8Array): ComponentHolder {
  return {
    stage: row.kind,
    tokenId: row.id,
    hash,
    repoId: row.repo_id,
    orgName: row.org_name,
    repoName: row.repo_name,
    component: row.component,
    reads: row.reads === null ? [] : JSON.parse(row.reads),
    writes: row.writes === null ? [] : JSON.parse(row.writes),
    paused: row.paused === 1,
    expiresAt: row.expires_at,
    installId: row.install_id ?? undefined,
  };
}

export interface InstallKey {
  readonly repoId: number;
  readonly installId: string;
}

/** Of an install that is torn down: nobody is let in by them any more. */
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
  await tx.query('update component_token set paused = $3 where repo_id = $1 and install_id = $2', [
    repoId,
    installId,
    Number(paused),
  ]);
}

/** What the install approves from now on, for tokens that were made before too. */
export async function setTokenAccess(
  tx: Transaction,
  { repoId, installId, reads, writes }: InstallKey & TokenAccess,
): Promise<void> {
  await tx.query(
    `update component_token set reads = $3, writes = $4 where repo_id = $1 and install_id = $2 and kind = 'runtime'`,
    [repoId, installId, JSON.stringify(reads), JSON.stringify(writes)],
  );
}
