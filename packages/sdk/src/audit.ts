import type { AuditItem } from '@cairn/protocol/audit';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Call } from './transport.ts';

export type ListAudit = Omit<ProcedureInput<'audit.list'>, 'orgName'>;

/**
 * Who did what that decides over access, for admins of an organization. What concerns an account is in its personal one.
 *
 * @example
 * const { items } = await client.audit.list('acme', { action: 'repo.setVisibility' });
 */
export interface AuditSurface {
  /** A page of entries, newest first. */
  list(orgName: string, options?: ListAudit): Promise<Page<AuditItem>>;
}

export function auditSurface(call: Call): AuditSurface {
  return { list: (orgName, options = {}) => call('audit.list', { orgName, ...options }) };
}
