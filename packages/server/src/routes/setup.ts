// The page behind the one-time set-up link: it makes the first owner.
import type { MintedToken } from '@cairn/protocol/token';
import { html } from 'hono/html';
import { z } from 'zod';
import { checkSetupCode, setUpOwner } from '../operations/account.ts';
import { signIn } from '../operations/sign-in.ts';
import { originOf, type RouteHandler } from './edge/env.ts';
import { answerForm, answerPage, answerRefusal } from './edge/form.ts';
import type { Html } from './edge/page.ts';
import { visitorOf } from './edge/rate-limit.ts';
import { signInBrowser } from './edge/signed-in.ts';

const title = 'Set up';
const fields = z.strictObject({
  code: z.string(),
  email: z.string(),
  password: z.string(),
  name: z.string().optional(),
});

export const setupForm: RouteHandler = async (c) => {
  const code = c.req.query('code') ?? '';
  try {
    await checkSetupCode(c.var.deps.store, code);
  } catch (error) {
    return await answerRefusal(c, error, { title, content: refused });
  }
  return await answerPage(c, { title, content: form({ code, email: '' }) });
};

export const setup: RouteHandler = async (c) => {
  const { store, settings } = c.var.deps;
  return await answerForm(c, {
    title,
    fields,
    submit: (given) => setUpOwner(store, given, originOf(c)),
    done: async (made, { email, password }) => {
      const whose = await signIn(store, { email: email.toLowerCase(), password, visitor: visitorOf(c) });
      const { cookies = [] } = await signInBrowser(c, whose);
      return { content: welcome(made, settings.publicUrl), cookies };
    },
    again: async (given, problem) =>
      await checkSetupCode(store, given.code).then(
        () => form(given, problem),
        () => refused(problem),
      ),
  });
};

interface Entered {
  readonly code: string;
  readonly email: string;
  readonly name?: string | undefined;
}

function refused(problem: Html): Html {
  return html`<h1>Set up</h1>${problem}`;
}

function form({ code, email, name = '' }: Entered, problem?: Html): Html {
  return html`<h1>Set up this server</h1>
    ${problem}
    <p>This makes the first account, which owns the server. The link works once.</p>
    <form method="post" action="/auth/setup">
      <input type="hidden" name="code" value="${code}">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="email"></label>
      <label>User name <input name="name" value="${name}" pattern="[a-z0-9\\-]{1,39}" autocomplete="username">
        <small>a-z, 0-9 and -; by default made from the email address</small></label>
      <label>Password <input type="password" name="password" required minlength="12" autocomplete="new-password">
        <small>at least 12 characters</small></label>
      <button>Create the owner</button>
    </form>`;
}

function welcome({ handle, token, expiresAt }: MintedToken & { handle: string }, publicUrl: string): Html {
  return html`<h1>Welcome, ${handle}</h1>
    <p>You are signed in: <a href="/">look around</a>. For scripts and the command there is a token.</p>
    <p>It may do everything, until ${new Date(expiresAt).toISOString().slice(0, 10)}. It is shown only now;
      a click on it selects all of it:</p>
    <pre class="secret">${token}</pre>
    <p>Scripts use it so:</p>
    <pre tabindex="0">export CAIRN_URL=${publicUrl} CAIRN_TOKEN=…
npx @cairn/cli auth whoami</pre>
    <p>You yourself need none: sign in with your password from the command line too.</p>
    <pre tabindex="0">npx @cairn/cli auth login --url ${publicUrl}</pre>`;
}
