// All operations of the writer thread, by name. Inputs are plain data, because closures cannot cross threads. A dry run
// is among them, because it needs the compiled shapes and one snapshot.
import { type AuditEntry, recordAudit } from './access/audit.sql.ts';
import { createToken, revokeToken, rotateToken } from './access/token.sql.ts';
import { createAccount, setAccountActive, setUpOwner } from './account/account.sql.ts';
import { createExternalAccount, linkIdentity, unlinkIdentity } from './account/external/external-identity.sql.ts';
import * as oauthItem from './account/oauth/oauth-item.sql.ts';
import { changePassword, issueResetCode, resetPassword, setPassword } from './account/password.sql.ts';
import { createSession, endSession, endSessions, forgetSessions } from './account/session.sql.ts';
import * as credentialSet from './action/delivery/credential-set.sql.ts';
import { useCredentialSet } from './action/delivery/credential-set-use.write.ts';
import { claimDelivery, releaseDelivery } from './action/delivery/delivery-queue.sql.ts';
import { carryOutbox, claimOutbox, releaseOutbox } from './action/outbox.sql.ts';
import { finishAttempt } from './action/run.write.ts';
import { forgetRuns } from './action/run-read.sql.ts';
import { giveUpRun, reportRun, retryRun } from './action/run-report.write.ts';
import { startRuns } from './action/run-start.sql.ts';
import * as subscription from './action/subscription-change.write.ts';
import { purgeData } from './admin/purge.sql.ts';
import { commit, dryRunCommit } from './commit/commit.write.ts';
import type { WriterMemory } from './commit/record-set.sql.ts';
import { createComponentToken, endSetup, mintInstallTokens } from './component/component-token.sql.ts';
import { declareResources } from './component/declare.sql.ts';
import * as install from './component/install.sql.ts';
import { publishComponent, registerComponent, unregisterComponent } from './component/publish.write.ts';
import type { Transaction } from './engine/database.ts';
import { moveEpoch } from './engine/group.ts';
import { renewWork } from './engine/work.ts';
import { createCheckpoint, deleteCheckpoint } from './export/checkpoint.sql.ts';
import * as exportJob from './export/export-job.sql.ts';
import { forgetExport, rebuildExports, retireExport } from './export/export-removal.sql.ts';
import { appendImport } from './import/append.write.ts';
import { abortImport, beginImport } from './import/begin.write.ts';
import { finishImport } from './import/finish.write.ts';
import { claimServerFact, rotateSecret, rotateSigningKey, setServerFact } from './keys/server-fact.sql.ts';
import { acceptInvitation } from './repository/invitation.sql.ts';
import { setMember, setRepositoryRole } from './repository/member.sql.ts';
import * as organization from './repository/organization.sql.ts';
import { createRepository } from './repository/repository.sql.ts';
import * as repository from './repository/repository-change.write.ts';
import { removeRepository } from './repository/repository-removal.sql.ts';
import { buildFieldIndex } from './shape/field-index.sql.ts';
import { closeIdleStream, closeStream, forgetPlaceholders } from './stream/stream.sql.ts';
import { applyChunk } from './stream/stream-chunk.write.ts';

const WRITES = {
  abortImport,
  acceptInvitation,
  appendImport,
  applyChunk,
  beginImport,
  beginInstall: install.beginInstall,
  bindSubscription: subscription.bindSubscription,
  buildFieldIndex,
  carryOutbox,
  changePassword,
  claimDelivery,
  claimExport: exportJob.claimExport,
  claimOutbox,
  claimServerFact,
  closeIdleStream,
  closeStream,
  commit,
  completeExport: exportJob.completeExport,
  configureRepository: repository.configureRepository,
  consumeOauthItem: oauthItem.consumeOauthItem,
  createAccount,
  createCheckpoint,
  createComponentToken,
  createCredentialSet: credentialSet.createCredentialSet,
  createExternalAccount,
  createOrganization: organization.createOrganization,
  createRepository,
  createSession,
  createSubscription: subscription.createSubscription,
  createToken,
  declareResources,
  deleteCheckpoint,
  deleteCredentialSet: credentialSet.deleteCredentialSet,
  deleteRepository: repository.deleteRepository,
  deleteSubscription: subscription.deleteSubscription,
  dryRunCommit,
  endSession,
  endSessions,
  endSetup,
  extendOauthItem: oauthItem.extendOauthItem,
  failExport: exportJob.failExport,
  finishAttempt,
  finishImport,
  forgetExport,
  forgetOauthItems: oauthItem.forgetOauthItems,
  forgetRuns,
  forgetSessions,
  forgetPlaceholders,
  issueResetCode,
  linkIdentity,
  mintExport: exportJob.mintExport,
  pauseInstall: install.pauseInstall,
  mintInstallTokens,
  pauseSubscription: subscription.pauseSubscription,
  publishComponent,
  purgeData,
  putOauthItem: oauthItem.putOauthItem,
  rebuildExports,
  recordAudit,
  recordUninstall: install.recordUninstall,
  registerComponent,
  releaseDelivery,
  releaseExport: exportJob.releaseExport,
  releaseOutbox,
  removeOauthItem: oauthItem.removeOauthItem,
  removeRepository,
  renameOrganization: organization.renameOrganization,
  renameRepository: repository.renameRepository,
  renewWork,
  reportRun,
  resetPassword,
  restoreRepository: repository.restoreRepository,
  resumeInstall: install.resumeInstall,
  resumeSubscription: subscription.resumeSubscription,
  retireExport,
  retryRun,
  giveUpRun,
  revokeCredentialSet: credentialSet.revokeCredentialSet,
  revokeToken,
  rotateSecret,
  rotateSigningKey,
  rotateToken,
  setAccountActive,
  setCredentialKeys: credentialSet.setCredentialKeys,
  setMember,
  setOrganizationArchived: organization.setOrganizationArchived,
  setPassword,
  setRepositoryArchived: repository.setRepositoryArchived,
  setRepositoryRole,
  setRepositoryVisibility: repository.setRepositoryVisibility,
  setServerFact,
  setUpOwner,
  settleInstall: install.settleInstall,
  signExport: exportJob.signExport,
  startRuns,
  tearDownInstall: install.tearDownInstall,
  transferRepository: repository.transferRepository,
  unlinkIdentity,
  unregisterComponent,
  unsetCredentialKey: credentialSet.unsetCredentialKey,
  updateOrganization: organization.updateOrganization,
  updateRepository: repository.updateRepository,
  updateSubscription: subscription.updateSubscription,
  useCredentialSet,
};

export type WriteName = keyof typeof WRITES;
export type WriteInput<Name extends WriteName> = Parameters<(typeof WRITES)[Name]>[1];
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<(typeof WRITES)[Name]>>;

/** The audit entry is written in the same transaction. */
export type Writes = {
  readonly [Name in keyof typeof WRITES]: (input: WriteInput<Name>, audit?: AuditEntry) => Promise<WriteResult<Name>>;
};

export interface WriteRequest<Name extends WriteName = WriteName> {
  readonly name: Name;
  readonly input: WriteInput<Name>;
  readonly audit?: AuditEntry | undefined;
}

export type WriterRequest = WriteRequest | 'schemaVersion' | 'counts' | 'fault';

export async function applyWrite(
  { name, input, audit }: WriteRequest,
  { tx, memory }: { tx: Transaction; memory: WriterMemory },
): Promise<unknown> {
  const write = WRITES[name] as (tx: Transaction, input: unknown, memory: WriterMemory) => Promise<unknown>;
  const result = await write(tx, input, memory);
  if (tx.changedAccess) await moveEpoch(tx);
  if (audit !== undefined) await recordAudit(tx, audit);
  return result;
}
