// Everything that the writer thread does, by name. A dry run is among it, because it needs the compiled shapes and one
// state of the repository, as a commit does. A request to the writer thread is one of these names and its input: plain
// data, because closures cannot cross threads.
import { createAccount, setAccountActive, setUpOwner } from './account.ts';
import { type AuditEntry, recordAudit } from './audit.ts';
import { createCheckpoint, deleteCheckpoint } from './checkpoint.ts';
import { commit, dryRunCommit } from './commit.ts';
import { declareResources } from './component/declare.ts';
import {
  beginInstall,
  pauseInstall,
  recordUninstall,
  resumeInstall,
  settleInstall,
  tearDownInstall,
} from './component/install-change.ts';
import { endSetup, mintInstallTokens } from './component/mint.ts';
import { publishComponent, registerComponent, unregisterComponent } from './component/publish.ts';
import { createComponentToken } from './component-token.ts';
import {
  createCredentialSet,
  deleteCredentialSet,
  revokeCredentialSet,
  setCredentialKeys,
  unsetCredentialKey,
} from './credential-set.ts';
import { useCredentialSet } from './credential-set-use.ts';
import type { Transaction } from './database.ts';
import { claimDelivery, releaseDelivery } from './delivery-queue.ts';
import { claimExport, completeExport, failExport, releaseExport } from './export-build.ts';
import { mintExport, signExport } from './export-job.ts';
import { forgetExport, rebuildExports, retireExport } from './export-removal.ts';
import { createExternalAccount, linkIdentity, unlinkIdentity } from './external-identity.ts';
import { buildFieldIndex } from './field-index-build.ts';
import { appendImport } from './import/append.ts';
import { beginImport } from './import/begin.ts';
import { abortImport } from './import/clear.ts';
import { finishImport } from './import/finish.ts';
import { acceptInvitation } from './invitation-acceptance.ts';
import { setMember } from './member.ts';
import { consumeOauthItem, extendOauthItem, forgetOauthItems, putOauthItem, removeOauthItem } from './oauth-item.ts';
import { createOrganization, renameOrganization, setOrganizationArchived, updateOrganization } from './organization.ts';
import { carryOutbox, claimOutbox, releaseOutbox } from './outbox.ts';
import { changePassword, issueResetCode, resetPassword, setPassword } from './password.ts';
import { purgeData } from './purge.ts';
import { createRepository } from './repository.ts';
import {
  configureRepository,
  deleteRepository,
  renameRepository,
  restoreRepository,
  setRepositoryArchived,
  setRepositoryVisibility,
  transferRepository,
  updateRepository,
} from './repository-change.ts';
import { removeRepository } from './repository-removal.ts';
import { setRepositoryRole } from './repository-role.ts';
import { finishAttempt } from './run-end.ts';
import { giveUpRun, reportRun, retryRun } from './run-report.ts';
import { forgetRuns } from './run-retention.ts';
import { startRuns } from './run-start.ts';
import { rotateSecret } from './secret-rotation.ts';
import { claimServerFact, setServerFact } from './server-fact.ts';
import { createSession, endSession, endSessions, forgetSessions } from './session.ts';
import { rotateSigningKey } from './signing-generation.ts';
import { applyChunk } from './stream-chunk.ts';
import { closeIdleStream, closeStream, forgetStreamTokens } from './stream-end.ts';
import {
  bindSubscription,
  createSubscription,
  deleteSubscription,
  pauseSubscription,
  resumeSubscription,
  updateSubscription,
} from './subscription-change.ts';
import { createToken, revokeToken, rotateToken } from './token.ts';
import { renewWork } from './work.ts';
import type { WriterMemory } from './writer-memory.ts';

export const WRITES = {
  abortImport,
  acceptInvitation,
  appendImport,
  applyChunk,
  beginImport,
  beginInstall,
  bindSubscription,
  buildFieldIndex,
  carryOutbox,
  changePassword,
  claimDelivery,
  claimExport,
  claimOutbox,
  claimServerFact,
  closeIdleStream,
  closeStream,
  commit,
  completeExport,
  configureRepository,
  consumeOauthItem,
  createAccount,
  createCheckpoint,
  createComponentToken,
  createCredentialSet,
  createExternalAccount,
  createOrganization,
  createRepository,
  createSession,
  createSubscription,
  createToken,
  declareResources,
  deleteCheckpoint,
  deleteCredentialSet,
  deleteRepository,
  deleteSubscription,
  dryRunCommit,
  endSession,
  endSessions,
  endSetup,
  extendOauthItem,
  failExport,
  finishAttempt,
  finishImport,
  forgetExport,
  forgetOauthItems,
  forgetRuns,
  forgetSessions,
  forgetStreamTokens,
  issueResetCode,
  linkIdentity,
  mintExport,
  pauseInstall,
  mintInstallTokens,
  pauseSubscription,
  publishComponent,
  purgeData,
  putOauthItem,
  rebuildExports,
  recordAudit,
  recordUninstall,
  registerComponent,
  releaseDelivery,
  releaseExport,
  releaseOutbox,
  removeOauthItem,
  removeRepository,
  renameOrganization,
  renameRepository,
  renewWork,
  reportRun,
  resetPassword,
  restoreRepository,
  resumeInstall,
  resumeSubscription,
  retireExport,
  retryRun,
  giveUpRun,
  revokeCredentialSet,
  revokeToken,
  rotateSecret,
  rotateSigningKey,
  rotateToken,
  setAccountActive,
  setCredentialKeys,
  setMember,
  setOrganizationArchived,
  setPassword,
  setRepositoryArchived,
  setRepositoryRole,
  setRepositoryVisibility,
  setServerFact,
  setUpOwner,
  settleInstall,
  signExport,
  startRuns,
  tearDownInstall,
  transferRepository,
  unlinkIdentity,
  unregisterComponent,
  unsetCredentialKey,
  updateOrganization,
  updateRepository,
  updateSubscription,
  useCredentialSet,
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
export type WriteInput<Name extends WriteName> = Parameters<Writes[Name]>[1];
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<Writes[Name]>>;

export interface WriteRequest<Name extends WriteName = WriteName> {
  readonly name: Name;
  readonly input: WriteInput<Name>;
  /** What the audit log is told, in the same transaction. */
  readonly audit?: AuditEntry | undefined;
}

/** What the writer thread answers to. */
export type WriterRequest = WriteRequest | 'schemaVersion' | 'counts' | 'fault';

/** What a write is applied with. */
export interface WriteTools {
  readonly tx: Transaction;
  readonly memory: WriterMemory;
}

export async function applyWrite({ name, input, audit }: WriteRequest, { tx, memory }: WriteTools): Promise<unknown> {
  const write = WRITES[name] as (tx: Transaction, input: unknown, memory: WriterMemory) => Promise<unknown>;
  const result = await write(tx, input, memory);
  if (audit !== undefined) await recordAudit(tx, audit);
  return result;
}
