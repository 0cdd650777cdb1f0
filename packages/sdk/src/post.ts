import { CairnError, type ErrorBody, fail, isErrorCode } from '@cairn/protocol/errors';

/** For the forms under /auth, which take the same fields as JSON. */
export async function post<Result extends object>(url: string, path: string, body: object): Promise<Result> {
  const address = new URL(path, url.endsWith('/') ? url : `${url}/`);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
    (cause: unknown) => {
      throw fail('NETWORK_ERROR', { message: `No answer from ${url}. Is the server running?`, cause });
    },
  );
  const answered = (await answer.json()) as Result | ErrorBody;
  if (!('error' in answered)) return answered;
  const { code, message, ...rest } = answered.error;
  throw new CairnError(isErrorCode(code) ? code : 'INTERNAL_ERROR', { message, ...rest });
}
