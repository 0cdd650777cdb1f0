// Procedures on who the caller is, on tokens, and on the server itself.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import { capabilities } from './capabilities.ts';
import { organizationPermission, permissionAnswer, repositoryPermission } from './member.ts';
import type { ProcedureRow } from './procedure-row.ts';
import { sessionAddress, sessionList, sessionPage, sessionRecord, sessionsEnd, sessionsEnded } from './session.ts';
import {
  mintedToken,
  rotatedToken,
  tokenAddress,
  tokenCreation,
  tokenList,
  tokenPage,
  tokenRecord,
  tokenRotation,
} from './token.ts';
import { whoami } from './whoami.ts';

export const ACCOUNT_PROCEDURES = {
  'auth.whoami': {
    summary: 'Who the caller is, and what the token may do.',
    access: ACCESS.nothing,
    input: z.strictObject({}).optional(),
    output: whoami,
  },
  'auth.listSessions': {
    summary:
      'The sessions of the account that have not ended, the newest first: browsers, and clients that were let in.',
    access: ACCESS.session,
    input: sessionList,
    output: sessionPage,
  },
  'auth.endSession': {
    summary: 'Ends one session of the account, at once: its cookie, its JWTs and its refresh tokens.',
    access: ACCESS.session,
    input: sessionAddress,
    output: sessionRecord,
  },
  'auth.endAllSessions': {
    summary: 'Signs out everywhere: ends all sessions of the account, this one too. Tokens stay.',
    access: ACCESS.session,
    input: sessionsEnd,
    output: sessionsEnded,
  },
  'access.checkRepoPermission': {
    summary: 'Whether the caller may do something in a repository, and what gives it.',
    access: ACCESS.sight,
    input: repositoryPermission,
    output: permissionAnswer,
  },
  'access.checkOrgPermission': {
    summary: 'Whether the caller may do something in an organization, and what gives it.',
    access: ACCESS.sight,
    input: organizationPermission,
    output: permissionAnswer,
  },
  'token.list': {
    summary:
      'The tokens that the caller manages, by name: a session all of its account, a token those that descend from it.',
    access: ACCESS.account,
    input: tokenList,
    output: tokenPage,
  },
  'token.get': {
    summary: 'One token that the caller manages.',
    access: ACCESS.account,
    input: tokenAddress,
    output: tokenRecord,
  },
  'token.create': {
    summary: 'Makes a token, and shows its value once. What a token makes may do no more than itself, and no longer.',
    access: ACCESS.account,
    input: tokenCreation,
    output: mintedToken,
  },
  'token.rotate': {
    summary: 'Gives a token another value; the one of before is taken for up to 24 hours more.',
    access: ACCESS.account,
    input: tokenRotation,
    output: rotatedToken,
  },
  'token.revoke': {
    summary: 'Ends a token and all that descend from it, at once.',
    access: ACCESS.account,
    input: tokenAddress,
    output: tokenRecord,
  },
  'diagnostics.capabilities': {
    summary: 'What this server is: version, engine, formats, limits.',
    access: ACCESS.lists,
    input: z.strictObject({}).optional(),
    output: capabilities,
  },
} as const satisfies Record<string, ProcedureRow>;
