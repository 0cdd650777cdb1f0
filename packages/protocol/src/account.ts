// Wire format of the caller: tokens, sessions and rights, plus the server's description of itself.
import { z } from 'zod';
import { PLAIN_LINE, TOKEN_NAME } from './names.ts';
import { description } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { SCOPE_NAMES } from './scopes.ts';

export const capabilities = z.object({
  version: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  limits: z.record(z.string(), z.number()),
});

/** The server's version, engine, formats and limits. */
export type Capabilities = z.infer<typeof capabilities>;

const sessionKind = z.enum(['browser', 'client']);
/** The kind of client that holds a session: a browser or a program. */
export type SessionKind = z.infer<typeof sessionKind>;

const sessionClient = z.object({
  id: z.string(),
  name: z.string().describe('The name that the client gives itself.'),
  host: z.string().optional().describe('The publisher of the client, if its id is an https address.'),
});

export const sessionRecord = z.object({
  id: z.string(),
  kind: sessionKind,
  current: z.boolean().describe('True for the session that sends the request.'),
  client: sessionClient.optional().describe('Only in sessions of clients.'),
  agent: z.string().optional().describe('The User-Agent header of a browser.'),
  address: z.string().optional().describe('The address that started the session.'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().optional().describe('Accurate to the minute.'),
});

/** A session that has not ended. */
export type SessionRecord = z.infer<typeof sessionRecord>;

export const sessionList = z.strictObject(pageInput).prefault({});
export const sessionPage = pageOf(sessionRecord);
export const sessionAddress = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/, 'not a session id; auth.listSessions lists yours'),
});
export const sessionsEnd = z
  .strictObject({
    kind: sessionKind.optional().describe('Only this kind. By default all, including this session.'),
  })
  .prefault({});
export const sessionsEnded = z.object({ ended: z.int() });

const ENTRIES_MAX = 100;
const CHOICES_MAX = 100;

const scopeEntry = z.strictObject({
  resource: z
    .string()
    .max(140)
    .regex(/^[^/\s\p{Cc}\p{Cs}]+(\/[^/\s\p{Cc}\p{Cs}]+)?$/u, 'expected an organization, or a repository as org/repo')
    .optional()
    .describe('An organization, or a repository as org/repo. By default everything that the owner can reach.'),
  permissions: z.array(z.enum(SCOPE_NAMES)).min(1).max(SCOPE_NAMES.length),
  refs: z
    .array(z.string().min(1).max(1_024))
    .min(1)
    .max(CHOICES_MAX)
    .optional()
    .describe('Narrows repo:read to records whose name matches one of these globs, such as Signal/**.'),
  shapes: z
    .array(z.string().min(1).max(128).regex(PLAIN_LINE, 'contains a control character or an unpaired surrogate'))
    .min(1)
    .max(CHOICES_MAX)
    .optional()
    .describe('Narrows repo:read to records of these shapes.'),
});

/** One entry of a token's rights: permissions, and the resources that they apply to. */
export type ScopeEntry = z.infer<typeof scopeEntry>;

/** Bounded, because a read matches each choice with every record. */
function choicesIn(entries: readonly ScopeEntry[]): number {
  return entries.reduce((sum, { refs = [], shapes = [] }) => sum + refs.length + shapes.length, 0);
}

const scopeEntries = z
  .array(scopeEntry)
  .min(1, 'a token needs at least one entry')
  .max(ENTRIES_MAX)
  .refine((entries) => choicesIn(entries) <= CHOICES_MAX, `a token has at most ${CHOICES_MAX} refs and shapes in all`)
  .describe('Of matching entries, the one with the narrowest resource decides; entries for the same resource add up.');

const tokenName = z
  .string()
  .regex(TOKEN_NAME, 'expected a token name: 1 to 100 of A-Z, a-z, 0-9, - and _')
  .describe('Unique among all tokens of the owner, including ended ones.');

export const tokenRecord = z.object({
  name: z.string(),
  description: z.string(),
  scopes: z.array(scopeEntry),
  createdBy: z.string().describe('`session`, or `token:` and the name of the token that created it.'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().optional().describe('Accurate to the minute.'),
  revokedAt: z.int().optional(),
});

/** A token, without its value. */
export type TokenRecord = z.infer<typeof tokenRecord>;

export const mintedToken = tokenRecord.extend({ token: z.string().describe('Shown only once.') });

/** A token with its value, which is shown only once. */
export type MintedToken = z.infer<typeof mintedToken>;

export const tokenList = z.strictObject(pageInput).prefault({});
export const tokenPage = pageOf(tokenRecord);
export const tokenAddress = z.strictObject({ name: tokenName });
export const tokenCreation = z.strictObject({
  name: tokenName,
  description: description.optional(),
  scopes: scopeEntries,
  expiresAt: z.int().optional().describe('Unix milliseconds. By default 30 days from now, at most 1 year.'),
});
export const tokenRotation = z.strictObject({
  name: tokenName,
  expiresAt: z.int().optional().describe('By default unchanged.'),
  previousValidUntil: z
    .int()
    .optional()
    .describe('The end of the old value. By default 24 hours from now, which is the maximum.'),
});
export const rotatedToken = mintedToken.extend({ previousValidUntil: z.int() });
/** A token with its new value, which is shown only once. */
export type RotatedToken = z.infer<typeof rotatedToken>;

/** Rights of an account on a resource: those of its role, limited by the credential. */
const accessHeld = z.object({
  resource: z
    .string()
    .describe('An organization, or a repository as org/repo if a role or the token applies to it alone.'),
  role: z.string().describe('The role that gives the access.'),
  allowed: z.array(z.enum(SCOPE_NAMES)),
  withheld: z.array(z.enum(SCOPE_NAMES)).describe('Permissions that the role gives, but the token does not allow.'),
});

const account = {
  handle: z.string(),
  operator: z
    .boolean()
    .describe('True if the account operates the server, and the credential has org:admin on everything.'),
  createsOrganizations: z.boolean().describe('True if the account may create organizations.'),
  expiresAt: z.int(),
  access: z.array(accessHeld).describe('Access beyond public reading, by name. At most 100 entries.'),
};

export const whoami = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({ kind: z.literal('session'), ...account }),
  z.object({ kind: z.literal('token'), ...account, tokenName: z.string(), scopes: z.array(scopeEntry) }),
  z.object({
    kind: z.literal('component'),
    component: z.string(),
    stage: z.enum(['setup', 'runtime']),
    repo: z.string().describe('The repository where it is installed, as org/repo.'),
    paused: z.boolean(),
    expiresAt: z.int(),
  }),
]);

/** The caller's identity, and the rights of their token. */
export type Whoami = z.infer<typeof whoami>;
