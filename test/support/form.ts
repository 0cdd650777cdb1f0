// The forms under /auth, sent by programs and by browsers.
import type { TestApp } from './server.ts';

export interface FormAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

export async function sendJson(app: TestApp['app'], path: string, fields: object): Promise<FormAnswer> {
  const headers = { 'content-type': 'application/json' };
  return await read(app.request(path, { method: 'POST', headers, body: JSON.stringify(fields) }));
}

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
