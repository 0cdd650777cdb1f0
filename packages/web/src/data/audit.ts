import type { AuditAction } from '@cairn/protocol/audit-action';
import { client } from '../app/session.ts';
import { paged } from './paged.ts';

/** Newest first; of one kind, or all. */
export const auditLog = (orgName: string, action?: AuditAction) =>
  paged(['organization', orgName, 'audit', action ?? ''], (asked) =>
    client.audit.list(orgName, { ...asked, ...(action !== undefined && { action }) }),
  );
