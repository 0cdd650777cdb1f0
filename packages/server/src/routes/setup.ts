// The page behind the one-time set-up link: it makes the first owner.
import { CairnError } from '@cairn/protocol/errors';
import { scanJson } from '@cairn/protocol/json-scan';
import { html } from 'hono/html';
import { z } from 'zod';
import { checkSetupCode, type MintedToken, setUpOwner } from '../operations/account.ts';
import { answer, answerJson } from './edge/answer.ts';
import { readBody } from './edge/body.ts';
import type { EdgeContext, RouteHandler } from './edge/env.ts';
import { type Html, page } from './edge/page.ts';

const FORM_BYTES_MAX = 16_384;

export const setupForm: RouteHandler = async (c) => {
  const code = c.req.query('code') ?? '';
  try {
    await checkSetupCode(c.var.deps.store, code);
  } catch (error) {
    return answerRefusal(c, error, { code: '', email: '', name: '' });
  }
  return answerPage(c, form({ code, email: '', name: '' }));
};

/** A form for people, JSON for `cairn setup`: the same fields, and each is answered in kind. */
export const setup: RouteHandler = async (c) => {
  if (c.req.header('content-type')?.startsWith('application/json')) return await setupByJson(c);
  const body = await readBody(c, { contentType: 'application/x-www-form-urlencoded', maxBytes: FORM_BYTES_MAX });
  const fields = new URLSearchParams(body);
  const field = (name: string) => fields.get(name)?.trim() ?? '';
  const entered = { code: field('code'), email: field('email'), name: field('name') };
  try {
    const { name, ...rest } = entered;
    const password = fields.get('password') ?? '';
    const made = await setUpOwner(c.var.deps.store, { ...rest, password, ...(name !== '' && { name }) });
    return answerPage(c, welcome(made, c.var.deps.settings.publicUrl));
  } catch (error) {
    return answerRefusal(c, error, entered);
  }
};

const setupFields = z.strictObject({
  code: z.string(),
  email: z.string(),
  password: z.string(),
  name: z.string().optional(),
});

async function setupByJson(c: EdgeContext): Promise<Response> {
  const body = await readBody(c, { contentType: 'application/json', maxBytes: FORM_BYTES_MAX });
  scanJson(body);
  const made = await setUpOwner(c.var.deps.store, setupFields.parse(JSON.parse(body)));
  return answerJson(c, made, { headers: { 'cache-control': 'no-store' } });
}

interface Entered {
  readonly code: string;
  readonly email: string;
  readonly name: string;
}

/** A person filled in the form: what was wrong stands above it, and what was right stays in it. */
function answerRefusal(c: EdgeContext, error: unknown, entered: Entered): Response | Promise<Response> {
  if (!(error instanceof CairnError) || error.status >= 500) throw error;
  const problem = html`<p class="problem" role="alert">${error.message}</p>`;
  const content = error.code === 'UNAUTHENTICATED' ? html`<h1>Set up</h1>${problem}` : form(entered, problem);
  return answerPage(c, content, error.status);
}

function answerPage(c: EdgeContext, content: Html, status = 200): Response | Promise<Response> {
  const headers = { 'cache-control': 'no-store' };
  return answer(c, { status, body: page('Set up', content), contentType: 'text/html; charset=utf-8', headers });
}

function form({ code, email, name }: Entered, problem?: Html): Html {
  return html`<h1>Set up this server</h1>
    ${problem}
    <p>This makes the first account, which owns the server. The link works once.</p>
    <form method="post" action="/auth/setup">
      <input type="hidden" name="code" value="${code}">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="email"></label>
      <label>Name <input name="name" value="${name}" pattern="[a-z0-9\\-]{1,39}" autocomplete="username">
        <small>a-z, 0-9 and -; by default made from the email address</small></label>
      <label>Password <input type="password" name="password" required minlength="12" autocomplete="new-password">
        <small>at least 12 characters</small></label>
      <button>Create the owner</button>
    </form>`;
}

function welcome({ handle, token, expiresAt }: MintedToken & { handle: string }, publicUrl: string): Html {
  return html`<h1>Welcome, ${handle}</h1>
    <p>This token may do everything, until ${new Date(expiresAt).toISOString().slice(0, 10)}. It is shown only now:</p>
    <pre>${token}</pre>
    <p>Try it:</p>
    <pre>export CAIRN_URL=${publicUrl} CAIRN_TOKEN=…
npx cairn auth whoami</pre>`;
}
