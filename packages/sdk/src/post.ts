import { accepted, addressOf, jsonOf, noAnswer } from './http.ts';

/** For the forms under /auth, which take the same fields as JSON. */
export async function post<Result extends object>(url: string, path: string, body: object): Promise<Result> {
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(addressOf(url, path), request).catch((cause: unknown) => {
    throw noAnswer(url, cause);
  });
  return await jsonOf<Result>(await accepted(answer));
}
