// Tools called over HTTP on an app without a port, one request each.

import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import type { ToolName } from '@cairn/protocol/tools';
import type { Store } from '../../packages/server/src/store.ts';
import { type Caller, createCallers } from './access/world.ts';
import { type McpAnswer, type McpSent, mcpSender } from './mcp.ts';
import { createSession, TEST_URL } from './principal.ts';
import type { CallProcedure } from './procedure.ts';
import { ownerIdOf, type TestApp } from './server.ts';

export interface ToolAnswer extends Pick<McpAnswer, 'status' | 'headers' | 'body'> {
  // biome-ignore lint/suspicious/noExplicitAny: what tools answer is as different as the procedures that they call.
  data(): any;
  /** The error of a refusal by the tool, by the protocol or by HTTP. */
  readonly error: { code: number | string; message: string; details?: unknown; hint?: string } | undefined;
  readonly isError: boolean;
}

export type CallTool = (name: ToolName | (string & {}), input?: unknown) => Promise<ToolAnswer>;

export function toolCaller(app: TestApp['app'], token?: string, sent: Omit<McpSent, 'token'> = {}): CallTool {
  const send = mcpSender(app, { token, ...sent });
  return async (name, input) =>
    toolAnswer(await send('tools/call', { name, ...(input !== undefined && { arguments: input }) }));
}

function toolAnswer({ status, headers, body, result, error }: McpAnswer): ToolAnswer {
  const isError = result?.isError === true;
  return {
    status,
    headers,
    body,
    isError,
    error: isError ? JSON.parse(result.content[0].text).error : error,
    data: () => {
      if (result === undefined || isError) throw new Error(`the tool refused: ${body}`);
      const [{ text }] = result.content;
      if (text !== JSON.stringify(result.structuredContent)) throw new Error(`text and structure differ: ${body}`);
      return result.structuredContent;
    },
  };
}

export interface ToolUser extends Caller {
  /** The same caller for procedures. A session for tools is valid for nothing else. */
  readonly elsewhere: string | undefined;
}

/** Callers of every kind, including sessions for tools only, as an agent has after sign-in. */
export async function createToolUsers(store: Store, owner: CallProcedure): Promise<ToolUser[]> {
  const callers = await createCallers(store, owner);
  const { id } = await store.write.createAccount({
    ...{ email: 'stranger@example.com', handle: 'stranger', passwordHash: '-', operator: false },
  });
  const agentOf = async (accountId: number, one: Pick<Caller, 'name' | 'organizationRole' | 'operator'>) => ({
    ...({ ...one, kind: 'account', session: true, scopes: SCOPE_NAMES } as const),
    token: (await createSession(store, { accountId, audience: `${TEST_URL}/mcp` })).token,
    elsewhere: (await createSession(store, { accountId })).token,
  });
  return [
    ...callers.map((one) => ({ ...one, elsewhere: one.token })),
    await agentOf(await ownerIdOf(store), { name: 'an agent of the owner', organizationRole: 'owner', operator: true }),
    await agentOf(id, { name: 'an agent of a stranger' }),
  ];
}
