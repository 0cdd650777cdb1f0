import { endable } from './abort.ts';
import { accepted, addressOf, jsonOf, noAnswer } from './http.ts';
import type { CallOptions } from './transport.ts';

/** For the forms under /auth, which take the same fields as JSON. */
export async function post<Result extends object>(url: string, path: string, given: object): Promise<Result> {
  const { signal: asked, ...fields }: CallOptions = given;
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(fields) };
  return await endable(asked, async (signal) => {
    const answer = await fetch(addressOf(url, path), { ...request, ...(signal && { signal }) }).catch((cause) => {
      throw noAnswer(url, cause);
    });
    return await jsonOf<Result>(await accepted(answer, url), url);
  });
}
