// Forms under /auth: pages for people, JSON for programs. Nothing is cached, because answers may contain codes.

import { scanJson } from '@cairn/model/json';
import { CairnError, fail } from '@cairn/protocol/errors';
import { html } from 'hono/html';
import type { z } from 'zod';
import { answer, answerJson } from './answer.ts';
import { errorHeaders } from './error.ts';
import { type Answered, type Exchange, readBody } from './exchange.ts';
import { type Html, page } from './page.ts';
import { cookieOf, sessionCookieName } from './signed-in.ts';

const FORM_BYTES_MAX = 16_384;
const NO_STORE = { 'cache-control': 'no-store' };
const OWN_REFERRER = { 'referrer-policy': 'same-origin' };

interface Form<Fields extends z.ZodObject, Result> {
  readonly title: string;
  readonly fields: Fields;
  readonly people?: true;
  readonly submit: (given: z.output<Fields>) => Promise<Result>;
  readonly told?: (result: Result) => Promise<object>;
  readonly done: (result: Result, given: z.output<Fields>) => Html | Done | Promise<Html | Done>;
  readonly again: (given: z.output<Fields>, problem: Html) => Html | Promise<Html>;
}

export interface Done {
  readonly content: Html;
  readonly cookies?: readonly string[];
  readonly onward?: string;
}

export async function answerForm<Fields extends z.ZodObject, Result>(
  c: Exchange,
  { title, fields, people, submit, told, done, again }: Form<Fields, Result>,
): Promise<Answered> {
  if (!people && isFromProgram(c)) {
    const body = await readBody(c, { contentType: 'application/json', maxBytes: FORM_BYTES_MAX });
    scanJson(body);
    const result = await submit(fields.parse(JSON.parse(body)));
    return await answerJson(c, told === undefined ? result : await told(result), { headers: NO_STORE });
  }
  const body = await readBody(c, { contentType: 'application/x-www-form-urlencoded', maxBytes: FORM_BYTES_MAX });
  const given = fields.parse(readFields(body, fields));
  try {
    if (people) refuseUnstorable(given);
    const result = await done(await submit(given), given);
    return await answerPage(c, { title, ...('content' in result ? result : { content: result }) });
  } catch (error) {
    return await answerRefusal(c, error, { title, content: (problem) => again(given, problem) });
  }
}

export const isFromProgram = (c: Exchange): boolean =>
  c.header('content-type')?.startsWith('application/json') === true;

function readFields(body: string, fields: z.ZodObject): Record<string, string> {
  const sent = new URLSearchParams(body);
  const given = Object.entries(fields.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const value = sent.get(name) ?? '';
    const text = /password/i.test(name) ? value : value.trim();
    return text === '' && field.isOptional() ? [] : [[name, text] as const];
  });
  return Object.fromEntries(given);
}

/** Browsers never send NUL, and not every database accepts it. */
function refuseUnstorable(given: object): void {
  for (const [name, value] of Object.entries(given)) {
    if (!String(value).includes('\0')) continue;
    throw fail('VALIDATION_ERROR', {
      message: `The field ${name} contains a control character. Enter it again.`,
      details: [{ path: name }],
    });
  }
}

interface Page {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[] | undefined;
  readonly onward?: string | undefined;
}

export function answerPage(
  c: Exchange,
  { title, content, status = 200, headers, cookies, onward }: Page,
): Answered | Promise<Answered> {
  const body = page(title, content, { onward, isKnown: isKnown(c, cookies) });
  const all = { ...NO_STORE, ...OWN_REFERRER, ...headers };
  return answer(c, { status, body, contentType: 'text/html; charset=utf-8', headers: all, cookies });
}

/** True if the browser has a session cookie, which may have ended. */
export function isKnown(c: Exchange, cookies: readonly string[] = []): boolean {
  const name = sessionCookieName(c.deps.settings);
  const given = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  return given === undefined ? cookieOf(c, name) !== undefined : !given.startsWith(`${name}=;`);
}

/** Browsers apply `form-action` to redirects after a form, and ours forbids other servers. Hence a page. */
export function onwardTo(address: string, what: string): { content: Html; onward: string } {
  return { content: html`<h1>${what}</h1><p><a href="${address}">Continue</a></p>`, onward: address };
}

interface Refusal {
  readonly title: string;
  readonly content: (problem: Html) => Html | Promise<Html>;
  readonly cookies?: readonly string[] | undefined;
}

export async function answerRefusal(
  c: Exchange,
  error: unknown,
  { title, content, cookies }: Refusal,
): Promise<Answered> {
  if (!(error instanceof CairnError) || error.status >= 500) throw error;
  const problem = html`<p class="problem" role="alert">${linked(error.message)}</p>`;
  const headers = errorHeaders(c, error);
  return await answerPage(c, { title, content: await content(problem), status: error.status, headers, cookies });
}

const FORGOTTEN = '/auth/forgot';

function linked(message: string): Html {
  const [first = '', ...rest] = message.split(FORGOTTEN);
  return html`${first}${rest.map((text) => html`<a href="${FORGOTTEN}">Forgotten password</a>${text}`)}`;
}

export const csrfField = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}">`;
