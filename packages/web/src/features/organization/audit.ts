import type { AuditAction } from '@cairn/protocol/audit-action';
import { paged } from '../../app/paged.ts';
import { client } from '../../app/session.ts';

/** Newest first; of one kind, or all. */
export const auditLog = (orgName: string, action?: AuditAction) =>
  paged(['organization', orgName, 'audit', action ?? ''], (asked) =>
    client.audit.list(orgName, { ...asked, ...(action !== undefined && { action }) }),
  );
