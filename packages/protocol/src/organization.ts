// Organizations on the wire.
import { z } from 'zod';
import { AUDIT_ACTIONS, type AuditAction } from './audit-action.ts';
import { ORGANIZATION_NAME, PLAIN_LINE } from './names.ts';
import { pageInput, pageOf } from './page.ts';

/** One line. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(PLAIN_LINE, 'holds a control character or half of a character');

/** Some lines. Other control characters could not be stored everywhere, and would reach the terminals of readers. */
export const description = z
  .string()
  .max(2_000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'holds a control character or half of a character');

export const organizationName = z
  .string()
  .regex(ORGANIZATION_NAME, 'not an organization name: 1 to 39 of a-z, 0-9 and -, without - at its ends');

export const orgAddress = { orgName: organizationName };

export const organization = z.object({
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  archived: z.boolean().describe('Whether the organization and its repositories take no writes.'),
  createdAt: z.int(),
});

/** An organization. */
export type Organization = z.infer<typeof organization>;

export const organizationList = z.strictObject(pageInput).prefault({});
export const organizationPage = pageOf(organization);

export const organizationCreation = z.strictObject({
  name: organizationName,
  displayName: displayName.optional().describe('By default the name.'),
  description: description.default(''),
});

export const organizationUpdate = z.strictObject({
  ...orgAddress,
  displayName: displayName.optional(),
  description: description.optional(),
});

export const organizationRename = z.strictObject({ ...orgAddress, newName: organizationName });

const action = z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]);

const auditItem = z.object({
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
