// Tokens for one call of an install's setup endpoint, and what becomes of them when the call is over. At most two runtime
// tokens stand: the one that a completed setup confirmed, and the newest. So a call that fails takes nothing away from a
// component that runs, and one that is repeated leaves nothing behind.
import type { SetupResult } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import { lockHomes } from '../action/watch.write.ts';
import type { Transaction } from '../engine/database.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import {
  type ComponentTokenKind,
  createComponentToken,
  type InstallKey,
  type NewComponentToken,
} from './component-token.sql.ts';
import { lockComponent } from './declare.sql.ts';

export interface Minting {
  readonly grant: Grant;
  readonly installId: string;
  /** What the tokens are made for: none are where the install is of another version by now. */
  readonly manifestHash: string;
  /** The component is known by the name that it has when they are written. */
  readonly tokens: readonly Omit<NewComponentToken, 'component'>[];
  readonly now: number;
}

/** Refuses where the install was paused, torn down or updated since it was read. */
export async function mintInstallTokens(tx: Transaction, minting: Minting): Promise<void> {
  const { grant, installId, tokens, now } = minting;
  const key = { repoId: grant.repoId, installId };
  await lockHomes(tx, [grant.repoId]);
  await requireWritable(tx, grant);
  const { fullName: component } = await lockComponent(tx, await requireStanding(tx, minting));
  await forgetTokens(tx, { ...key, now });
  for (const token of tokens) await createComponentToken(tx, { ...token, component });
}

/** The component that is installed. */
async function requireStanding(tx: Transaction, { grant, installId, manifestHash }: Minting): Promise<number> {
  const [row] = await tx.query<{ state: string; manifest_hash: string; component_id: number }>(
    'select state, manifest_hash, component_id from component_install where repo_id = $1 and install_id = $2',
    [grant.repoId, installId],
  );
  if (row === undefined || row.state === 'uninstalled') throw refused('not_installed');
  const reason = refusalOf(row, manifestHash);
  if (reason !== undefined) throw refused(reason);
  return row.component_id;
}

function refused(reason: keyof typeof MESSAGES): CairnError {
  return fail('CONFLICT', { message: MESSAGES[reason], details: { reason } });
}

const MESSAGES = {
  not_installed: 'The component is not installed here any more. Install it again.',
  paused: 'The component is paused here. Resume it first.',
  changed: 'The component was updated meanwhile. Resolve it again, and call setup for the version that is installed.',
} as const;

function refusalOf(
  { state, manifest_hash }: { state: string; manifest_hash: string },
  manifestHash: string,
): keyof typeof MESSAGES | undefined {
  if (state === 'paused') return 'paused';
  return manifest_hash === manifestHash ? undefined : 'changed';
}

/** Those that nobody is let in by any more, and those of calls that were never completed. */
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
  /** The manifest that the endpoint was called for. */
  readonly manifestHash: string;
  readonly result: SetupResult;
  /** Of the tokens that the call carried. */
  readonly hashes: Readonly<Partial<Record<ComponentTokenKind, Uint8Array>>>;
  readonly startedAt: number;
  readonly now: number;
}

export async function endSetup(tx: Transaction, end: SetupEnd): Promise<void> {
  const { grant, hashes, result, now } = end;
  await lockHomes(tx, [grant.repoId]);
  const overtaken = await isOvertaken(tx, end);
  if (hashes.setup !== undefined) {
    await tx.query('update component_token set revoked_at = $2 where hash = $1 and revoked_at is null', [
      hashes.setup,
      now,
    ]);
  }
  if (overtaken) return;
  if (result.status === 'completed') await confirmToken(tx, end);
  await keepResult(tx, end);
}

/** Whether a later call, or the teardown, has taken away what this one gave: how it went says nothing of what stands now. */
async function isOvertaken(tx: Transaction, { hashes }: SetupEnd): Promise<boolean> {
  for (const hash of Object.values(hashes)) {
    const found = await tx.query('select id from component_token where hash = $1 and revoked_at is null', [hash]);
    if (found.length === 0) return true;
  }
  return false;
}

/**
 * A component that says that it is set up uses what this call gave it, which may be no runtime token at all. Those that were
 * made before it are done with, also by calls that were under way together.
 */
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

/** What failed after a later call was completed is of the past, and so is what was called for another version. */
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
