// The procedure table: what each takes and answers. The router, the SDK's types, the reference pages and the MCP
// tools are all made from it.
import { z } from 'zod';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from './names.ts';
import { PROCEDURE_KINDS, type ProcedureName } from './procedure-kinds.ts';
import { SCOPE_NAMES } from './scopes.ts';

interface ProcedureRow {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

const repoAddress = {
  orgName: z.string().regex(ORGANIZATION_NAME, 'not an organization name: 1 to 39 of a-z, 0-9 and -'),
  repoName: z.string().regex(REPOSITORY_NAME, 'not a repository name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -'),
};

export const scopeEntry = z.strictObject({
  resource: z.string().optional(),
  permissions: z.array(z.enum(SCOPE_NAMES)).min(1),
  refs: z.array(z.string()).min(1).optional(),
  shapes: z.array(z.string()).min(1).optional(),
});

export type ScopeEntry = z.infer<typeof scopeEntry>;

export const repository = z.object({
  orgName: z.string(),
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  visibility: z.enum(['public', 'private']),
  archived: z.boolean(),
  repoSeq: z.int(),
  createdAt: z.int(),
});

export type Repository = z.infer<typeof repository>;

export const whoami = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('anonymous') }),
  z.object({
    kind: z.literal('token'),
    handle: z.string(),
    operator: z.boolean().describe('Whether this account runs the server.'),
    tokenName: z.string(),
    scopes: z.array(scopeEntry),
    expiresAt: z.int(),
  }),
]);

export type Whoami = z.infer<typeof whoami>;

export const capabilities = z.object({
  version: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  limits: z.record(z.string(), z.number()),
});

export type Capabilities = z.infer<typeof capabilities>;

export const PROCEDURES = {
  'auth.whoami': {
    summary: 'Who the caller is, and what the token may do.',
    input: z.strictObject({}).optional(),
    output: whoami,
  },
  'repo.get': {
    summary: 'One repository, as far as the caller may see it.',
    input: z.strictObject(repoAddress),
    output: repository,
  },
  'diagnostics.capabilities': {
    summary: 'What this server is: version, engine, formats, limits.',
    input: z.strictObject({}).optional(),
    output: capabilities,
  },
} as const satisfies Record<ProcedureName, ProcedureRow>;

export type ProcedureInput<Name extends ProcedureName> = z.input<(typeof PROCEDURES)[Name]['input']>;
export type ProcedureOutput<Name extends ProcedureName> = z.output<(typeof PROCEDURES)[Name]['output']>;

export const PROCEDURE_NAMES = Object.keys(PROCEDURE_KINDS) as ProcedureName[];
