import type { AuditItem } from '@cairn/protocol/organization';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

/** Which entries of the audit log are listed. */
export type ListAudit = Omit<ProcedureInput<'audit.list'>, 'orgName'> & CallOptions;

/**
 * Who did what that decides over access, for admins of an organization. What concerns an account is in its personal one.
 *
 * @example
 * const { items } = await client.audit.list('acme', { action: 'repo.setVisibility' });
 */
export interface AuditSurface {
  /** The entries, newest first. */
  list(orgName: string, options?: ListAudit): List<AuditItem>;
}

export function auditSurface(call: Call): AuditSurface {
  return { list: (orgName, options = {}) => listOf(call, 'audit.list', { orgName, ...options }) };
}
