// Sessions on the wire: of browsers in which somebody is signed in, and of clients that they have let in.
import { z } from 'zod';
import { pageInput, pageOf } from './page.ts';

export const sessionKind = z.enum(['browser', 'client']);
/** Where somebody is signed in: a browser, or a program. */
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
