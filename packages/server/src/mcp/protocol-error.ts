// What went wrong outside of tools, in the protocol's terms, where it has any.
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isForHttp, toolErrorOf } from './tool-error.ts';

/** As much of a name that is not ours as is told back. */
const NAME_SHOWN_CHARACTERS = 100;

export function shortened(name: string): string {
  return name.slice(0, NAME_SHOWN_CHARACTERS);
}

/** The caller's own mistakes become errors of the protocol; the rest is thrown on, and answered by HTTP. */
export async function inProtocol<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toProtocolError(error);
  }
}

function toProtocolError(thrown: unknown): Error {
  if (thrown instanceof ProtocolError) return thrown;
  const error = toolErrorOf(thrown);
  if (isForHttp(error) || error.status === 429 || error.status >= 500) return error;
  return invalid(error.message, error.fields);
}

export function invalid(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}
