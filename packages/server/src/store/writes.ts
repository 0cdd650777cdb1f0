// Everything that the writer thread does, by name. A dry run is among it, because it needs the compiled shapes and one
// state of the repository, as a commit does. A request to the writer thread is one of these names and its input: plain
// data, because closures cannot cross threads.
import { createAccount, setAccountActive, setUpOwner } from './account.ts';
import { type AuditEntry, recordAudit } from './audit.ts';
import { createCheckpoint, deleteCheckpoint } from './checkpoint.ts';
import { commit, dryRunCommit } from './commit.ts';
import { createComponentToken } from './component-token.ts';
import type { Transaction } from './database.ts';
import { claimExport, completeExport, failExport, releaseExport } from './export-build.ts';
import { mintExport, signExport } from './export-job.ts';
import { forgetExport, retireExport } from './export-removal.ts';
import { buildFieldIndex } from './field-index-build.ts';
import { appendImport } from './import/append.ts';
import { beginImport } from './import/begin.ts';
import { abortImport } from './import/clear.ts';
import { finishImport } from './import/finish.ts';
import { acceptInvitation } from './invitation-acceptance.ts';
import { setMember } from './member.ts';
import { createOrganization, renameOrganization, setOrganizationArchived, updateOrganization } from './organization.ts';
import { changePassword, issueResetCode, resetPassword, setPassword } from './password.ts';
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
import { claimServerFact, setServerFact } from './server-fact.ts';
import { createSession, endSessions } from './session.ts';
import { applyChunk } from './stream-chunk.ts';
import { closeIdleStream, closeStream, forgetStreamTokens } from './stream-end.ts';
import { createToken, revokeToken, rotateToken } from './token.ts';
import { renewWork } from './work.ts';
import type { WriterMemory } from './writer-memory.ts';

export const WRITES = {
  abortImport,
  acceptInvitation,
  appendImport,
  applyChunk,
  beginImport,
  buildFieldIndex,
  changePassword,
  claimExport,
  claimServerFact,
  closeIdleStream,
  closeStream,
  commit,
  completeExport,
  configureRepository,
  createAccount,
  createCheckpoint,
  createComponentToken,
  createOrganization,
  createRepository,
  createSession,
  createToken,
  deleteCheckpoint,
  deleteRepository,
  dryRunCommit,
  endSessions,
  failExport,
  finishImport,
  forgetExport,
  forgetStreamTokens,
  issueResetCode,
  mintExport,
  recordAudit,
  releaseExport,
  removeRepository,
  renameOrganization,
  renameRepository,
  renewWork,
  resetPassword,
  restoreRepository,
  retireExport,
  revokeToken,
  rotateToken,
  setAccountActive,
  setMember,
  setOrganizationArchived,
  setPassword,
  setRepositoryArchived,
  setRepositoryRole,
  setRepositoryVisibility,
  setServerFact,
  setUpOwner,
  signExport,
  transferRepository,
  updateOrganization,
  updateRepository,
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
export type WriterRequest = WriteRequest | 'schemaVersion' | 'counts';

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
