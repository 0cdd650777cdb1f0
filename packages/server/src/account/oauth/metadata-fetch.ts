// How the OAuth server reads what clients publish of themselves: at addresses that others chose, so by the client that
// reaches public ones alone.
import type { Outbound } from '../../action/delivery/outbound.ts';

const DOCUMENT_BYTES_MAX = 64 * 1_024;

export function fetchBy(outbound: Outbound): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = Object.fromEntries(new Headers(init?.headers).entries());
    const answer = await outbound.send({
      method: 'GET',
      answerBytesMax: DOCUMENT_BYTES_MAX,
      signal: init?.signal ?? undefined,
      ...{ url, headers },
    });
    if (answer.kind === 'failure') throw new Error(answer.message);
    if (answer.truncated) throw new Error(`the document is larger than ${DOCUMENT_BYTES_MAX} bytes`);
    const { status, body } = answer;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers: answer.headers });
  };
}
