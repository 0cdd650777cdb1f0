// The forms under /auth, sent as programs and as people do.
import type { TestApp } from './server.ts';

export interface FormAnswer {
  readonly status: number;
  /** The text of the body, to be compared byte for byte. */
  readonly body: string;
  readonly headers: Headers;
}

export async function sendJson(app: TestApp['app'], path: string, fields: object): Promise<FormAnswer> {
  const headers = { 'content-type': 'application/json' };
  return await read(app.request(path, { method: 'POST', headers, body: JSON.stringify(fields) }));
}

/** From a page of this server, as a browser says. */
export async function sendForm(app: TestApp['app'], path: string, fields: Record<string, string>): Promise<FormAnswer> {
  const headers = { origin: 'http://localhost:8787' };
  return await read(app.request(path, { method: 'POST', headers, body: new URLSearchParams(fields) }));
}

export async function openPage(app: TestApp['app'], path: string): Promise<FormAnswer> {
  return await read(app.request(path));
}

async function read(answering: Response | Promise<Response>): Promise<FormAnswer> {
  const answer = await answering;
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}
