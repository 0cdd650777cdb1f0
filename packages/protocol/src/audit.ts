// The audit log on the wire: who did what that decides over access, when and from where.
import { z } from 'zod';
import { AUDIT_ACTIONS, type AuditAction } from './audit-action.ts';
import { orgAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';

const action = z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]);

export const auditItem = z.object({
  at: z.int(),
  action,
  actor: z
    .string()
    .describe('`user:HANDLE`, `token:HANDLE/NAME`, `component:ORG/NAME`, `operator`, `server`, or `anonymous`.'),
  target: z.string().describe('What it was done to, by the name of that moment.'),
  details: z.record(z.string(), z.unknown()),
  address: z.string().optional().describe('Where the request came from.'),
  requestId: z.string().optional(),
});

/** An entry of the audit log: who did what, and when. */
export type AuditItem = z.infer<typeof auditItem>;

export const auditList = z.strictObject({ ...orgAddress, action: action.optional(), ...pageInput });
export const auditPage = pageOf(auditItem);
