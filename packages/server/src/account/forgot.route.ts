// The page for people who have forgotten their password.
import { forgotFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import type { RouteHandler } from '../http/env.ts';
import { answerForm, answerPage } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { type LinkSent, mailReset, withoutMail } from './forgotten-password.ts';
import { askerOf, linkMail } from './link-mail.route.ts';

const title = 'Forgotten password';

export const forgotForm: RouteHandler = (c) =>
  answerPage(c, { title, content: c.var.deps.mail === undefined ? unmailed() : form('') });

export const forgot: RouteHandler = async (c) =>
  await answerForm(c, {
    title,
    fields: forgotFields,
    submit: (given) => mailReset(linkMail(c), given, askerOf(c)),
    done: sent,
    again: ({ email }, problem) => (c.var.deps.mail === undefined ? unmailed() : form(email, problem)),
  });

function form(email: string, problem?: Html): Html {
  return html`<h1>Forgotten password</h1>
    ${problem}
    <p>We send a link to the email address of your account. With it you set a new password.</p>
    <form method="post" action="/auth/forgot">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="username"></label>
      <button>Send the link</button>
    </form>`;
}

function unmailed(): Html {
  return html`<h1>Forgotten password</h1>
    <p>${withoutMail().message}</p>
    <p>If you operate it yourself, this makes one, on the server's machine:</p>
    <pre tabindex="0">cairn admin reset-password --email YOU@EXAMPLE.COM</pre>
    <p><a href="/auth/sign-in">Back to signing in</a></p>`;
}

/** The same for everybody: who has an account is nobody else's business. */
function sent({ email }: LinkSent): Html {
  return html`<h1>Look into your mail</h1>
    <p>If ${email} is the address of an account, a link is on its way to it. It works once, within an hour.</p>
    <p>Nothing there? Look among the unwanted mail, and whether the account has another address. More than a few links in an
      hour are not sent.</p>`;
}
