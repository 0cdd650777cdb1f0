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
  name: z.string().describe('What it calls itself.'),
  host: z.string().optional().describe('Whose client it is, where its id says so.'),
});

export const sessionRecord = z.object({
  id: z.string(),
  kind: sessionKind,
  current: z.boolean().describe('Whether it is the one that asks.'),
  client: sessionClient.optional().describe('Of a client.'),
  agent: z.string().optional().describe('What a browser calls itself.'),
  address: z.string().optional().describe('Where it was begun from.'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().optional().describe('To the minute.'),
});

/** A session that has not ended. */
export type SessionRecord = z.infer<typeof sessionRecord>;

export const sessionList = z.strictObject(pageInput).prefault({});
export const sessionPage = pageOf(sessionRecord);
export const sessionAddress = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/, 'not the id of a session: see auth.listSessions'),
});
export const sessionsEnd = z
  .strictObject({ kind: sessionKind.optional().describe('Only those of this kind; by default all, this one too.') })
  .prefault({});
export const sessionsEnded = z.object({ ended: z.int() });

const ENTRIES_MAX = 100;
const CHOICES_MAX = 100;

const scopeEntry = z.strictObject({
  resource: z
    .string()
    .max(140)
    .regex(
      /^[^/\s\p{Cc}\p{Cs}]+(\/[^/\s\p{Cc}\p{Cs}]+)?$/u,
      'expected an organization, or an organization and a repository as org/repo',
    )
    .optional()
    .describe('An organization, or a repository as org/repo. Without it: everything that the owner can reach.'),
  permissions: z.array(z.enum(SCOPE_NAMES)).min(1).max(SCOPE_NAMES.length),
  refs: z
    .array(z.string().min(1).max(1_024))
    .min(1)
    .max(CHOICES_MAX)
    .optional()
    .describe('Narrows repo:read to records whose name matches one of these globs, such as Signal/**.'),
  shapes: z
    .array(z.string().min(1).max(128).regex(PLAIN_LINE, 'holds a control character or half of a character'))
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
  .min(1, 'say what the token may do: give it at least one entry')
  .max(ENTRIES_MAX)
  .refine((entries) => choicesIn(entries) <= CHOICES_MAX, `a token has at most ${CHOICES_MAX} refs and shapes in all`)
  .describe('What it may do. Of entries that match, the narrowest resource decides; entries of one resource add up.');

const tokenName = z
  .string()
  .regex(TOKEN_NAME, "a token's name is 1 to 100 of A-Z, a-z, 0-9, - and _")
  .describe('Unique among the tokens of its owner, also those that have ended.');

export const tokenRecord = z.object({
  name: z.string(),
  description: z.string(),
  scopes: z.array(scopeEntry),
  createdBy: z.string().describe('`session`, or `token:` and the name of the token that made it.'),
  createdAt: z.int(),
  expiresAt: z.int(),
  lastUsedAt: z.int().optional().describe('To the minute.'),
  revokedAt: z.int().optional(),
});

/** A token, without its value. */
export type TokenRecord = z.infer<typeof tokenRecord>;

export const mintedToken = tokenRecord.extend({ token: z.string().describe('Shown only now.') });

/** A token with its value, which is shown only once. */
export type MintedToken = z.infer<typeof mintedToken>;

export const tokenList = z.strictObject(pageInput).prefault({});
export const tokenPage = pageOf(tokenRecord);
export const tokenAddress = z.strictObject({ name: tokenName });
export const tokenCreation = z.strictObject({
  name: tokenName,
  description: description.optional(),
  scopes: scopeEntries,
  expiresAt: z.int().optional().describe('Unix milliseconds; by default in 30 days, at most in 1 year.'),
});
export const tokenRotation = z.strictObject({
  name: tokenName,
  expiresAt: z.int().optional().describe('By default as it was.'),
  previousValidUntil: z
    .int()
    .optional()
    .describe('Until when the value of before is taken too; by default and at most 24 hours from now.'),
});
export const rotatedToken = mintedToken.extend({ previousValidUntil: z.int() });
/** A token with its new value, which is shown only once. */
export type RotatedToken = z.infer<typeof rotatedToken>;

/** Rights of an account on a resource: those of its role, limited by the credential. */
const accessHeld = z.object({
  resource: z
    .string()
    .describe('An organization, or a repository as org/repo where a role or the token is for it alone.'),
  role: z.string().describe('What gives it.'),
  allowed: z.array(z.enum(SCOPE_NAMES)),
  withheld: z.array(z.enum(SCOPE_NAMES)).describe('What the role gives and the token does not allow.'),
});

const account = {
  handle: z.string(),
  operator: z
    .boolean()
    .describe('Whether this account runs the server, and the credential lets it act so: org:admin, not for one place.'),
  createsOrganizations: z.boolean().describe('Whether it may make organizations, which operators decide.'),
  expiresAt: z.int(),
  access: z.array(accessHeld).describe('Where it may do something beyond what is public, by name; the first 100.'),
};

export const whoami = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({ kind: z.literal('session'), ...account }),
  z.object({ kind: z.literal('token'), ...account, tokenName: z.string(), scopes: z.array(scopeEntry) }),
  z.object({
    kind: z.literal('component'),
    component: z.string(),
    stage: z.enum(['setup', 'runtime']),
    repo: z.string().describe('The repository that it is installed in, as org/repo.'),
    paused: z.boolean(),
    expiresAt: z.int(),
  }),
]);

/** The caller's identity, and the rights of their token. */
export type Whoami = z.infer<typeof whoami>;
