// Who the caller is, on the wire.
import { z } from 'zod';
import { SCOPE_NAMES } from './scopes.ts';
import { scopeEntry } from './token.ts';

/** What an account may do somewhere: what its role gives there, as far as the credential lets it. */
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

/** Who the caller is, and what their token may do. */
export type Whoami = z.infer<typeof whoami>;
