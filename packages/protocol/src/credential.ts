// Credential sets on the wire: named secrets that deliveries are sent with. Their values go in, and never out.
import { z } from 'zod';
import { CREDENTIAL_SET_NAME } from './names.ts';
import { orgAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { description } from './profile.ts';
import { repositoryName } from './repository.ts';

/** Whose a subscription or a credential set is: a repository's, or, without one, the organization's. */
export const homeAddress = {
  ...orgAddress,
  repoName: repositoryName.optional().describe('Without it: the organization itself.'),
};

const KEYS_MAX = 50;
const VALUE_CHARACTERS_MAX = 8_192;

export const credentialSetName = z
  .string()
  .regex(CREDENTIAL_SET_NAME, 'not a name of a credential set: 1 to 100 of A-Z, a-z, 0-9, ., _ and -');

export const credentialKey = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'not a key: 1 to 100 of A-Z, 0-9 and _, such as WEBHOOK_SIGNING_SECRET');

export const credentialSet = z.object({
  orgName: z.string(),
  repoName: z.string().optional(),
  name: z.string(),
  description: z.string(),
  keys: z.array(z.object({ key: z.string(), setAt: z.int(), setBy: z.string() })).describe('Without their values.'),
  boundOrigin: z.string().optional().describe('The origin of its first use, which is the only one that it is sent to.'),
  boundFallbackOrigin: z.string().optional().describe('The same for keys that begin with FALLBACK_.'),
  unboundAt: z
    .int()
    .optional()
    .describe('When another origin was to be used: nothing is sent with it until its keys are set anew.'),
  revokedAt: z.int().optional().describe('Nothing is sent with it any more, for good.'),
  component: z.string().optional().describe('The component that it came with.'),
  createdBy: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** A credential set: which keys it holds, not what they are. */
export type CredentialSet = z.infer<typeof credentialSet>;

export const credentialList = z.strictObject({ ...homeAddress, ...pageInput });
export const credentialPage = pageOf(credentialSet);
export const credentialAddress = z.strictObject({ ...homeAddress, name: credentialSetName });
export const credentialCreation = z.strictObject({
  ...homeAddress,
  name: credentialSetName,
  description: description.default(''),
});
export const credentialKeys = z.strictObject({
  ...homeAddress,
  name: credentialSetName,
  keys: z
    .record(credentialKey, z.string().min(1).max(VALUE_CHARACTERS_MAX))
    .refine((keys) => Object.keys(keys).length > 0, 'give at least one key')
    .refine((keys) => Object.keys(keys).length <= KEYS_MAX, `a set has at most ${KEYS_MAX} keys`),
});
export const credentialKeyRemoval = z.strictObject({ ...homeAddress, name: credentialSetName, key: credentialKey });

/** What happened to a set, and every use of it. */
export const credentialEvent = z.object({
  at: z.int(),
  action: z.enum(['create', 'setKeys', 'unsetKey', 'revoke', 'delete', 'bind', 'unbind', 'use']),
  actor: z.string().describe('As in the audit log; of a use `subscription:NAME`.'),
  details: z.record(z.string(), z.unknown()).describe('Names of keys; of a use the origin and the run.'),
});

/** Something that happened to a credential set. */
export type CredentialEvent = z.infer<typeof credentialEvent>;

export const credentialAuditPage = pageOf(credentialEvent);
export const credentialAuditList = z.strictObject({ ...homeAddress, name: credentialSetName, ...pageInput });
