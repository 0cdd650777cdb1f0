// Organizations on the wire.
import { z } from 'zod';
import { ORGANIZATION_NAME } from './names.ts';
import { pageInput, pageOf } from './page.ts';
import { description, displayName } from './profile.ts';

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
