// Requests without the SDK, as any program may make them. Failures are still a CairnError.
import { CairnError, type ErrorCode } from '@cairn/sdk';
import type { World } from './world.ts';

type Caller = Pick<World, 'url' | 'token'>;

interface SentFields {
  readonly code: ErrorCode;
  readonly message: string;
}

export async function postJson(
  { url, token }: Caller,
  path: string,
  { body, headers = {} }: { body: object; headers?: Record<string, string> },
): Promise<unknown> {
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) };
  return await answerOf(`${url}${path}`, request);
}

export async function getJson({ url, token }: Caller, path: string): Promise<unknown> {
  return await answerOf(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
}

async function answerOf(address: string, request: RequestInit): Promise<unknown> {
  const { status, ok, text } = await sent(address, request);
  const body = parsed(text);
  if (ok && body !== undefined) return body;
  const { error } = (body ?? {}) as { error?: SentFields & { data?: { cairn?: SentFields } } };
  const fields = error?.data?.cairn ?? error;
  if (fields === undefined) throw cut(`${status} with ${text.length} characters`);
  throw new CairnError(fields.code, { message: fields.message });
}

async function sent(address: string, request: RequestInit) {
  try {
    const answer = await fetch(address, request);
    return { status: answer.status, ok: answer.ok, text: await answer.text() };
  } catch (cause) {
    throw cut(String(cause), cause);
  }
}

/** A tool may answer with a stream of one event. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
}

export function cut(reason: string, cause?: unknown): CairnError {
  return new CairnError('NETWORK_ERROR', { message: `There was no whole answer: ${reason}.`, cause });
}
