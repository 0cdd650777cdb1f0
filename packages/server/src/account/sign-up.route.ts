// The pages for sign-up and for forgotten passwords.

import { proposedName } from '@cairn/model/name-proposal';
import { forgotFields, signUpFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import { type Exchange, originOf, type RouteHandler } from '../http/exchange.ts';
import { answerForm, answerPage, answerRefusal } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { localPath } from '../http/query.ts';
import { type Asker, type LinkMail, type LinkSent, mailReset, withoutMail } from './password.ts';
import {
  nextSignUpStep,
  type SignedUp,
  type SignUpForm,
  type SignUpPlace,
  type SignUpStep,
  signUp as signUpBy,
} from './sign-up.ts';

const SIGN_UP_TITLE = 'Sign up';

export const signUpForm: RouteHandler = async (c) => {
  const { code, next } = Object.fromEntries(c.searchParams);
  try {
    return await answerPage(c, {
      title: SIGN_UP_TITLE,
      content: form(await nextSignUpStep(signUpPlace(c), code), { code, next }),
    });
  } catch (error) {
    return await answerRefusal(c, error, { title: SIGN_UP_TITLE, content: signUpRefused });
  }
};

export const signUp: RouteHandler = async (c) => {
  const place = signUpPlace(c);
  return await answerForm(c, {
    title: SIGN_UP_TITLE,
    fields: signUpFields,
    submit: async ({ next: _, ...given }) => await signUpBy(place, given, askerOf(c)),
    done: (result, { next }) => ('handle' in result ? welcome(result, next) : sent(result)),
    again: async (given, problem) =>
      await nextSignUpStep(place, given.code).then(
        (step) => form(step, { ...given, problem }),
        () => signUpRefused(problem),
      ),
  });
};

function signUpPlace(c: Exchange): SignUpPlace {
  const { settings, keys } = c.deps;
  return { ...linkMail(c), signup: settings.signup, key: keys.signUp };
}

function signUpRefused(problem: Html): Html {
  return html`<h1>Sign up</h1>${problem}<p><a href="/auth/sign-in">Sign in</a> if you have an account.</p>`;
}

interface Entered extends SignUpForm {
  readonly next?: string | undefined;
  readonly problem?: Html;
}

function form(step: SignUpStep, { code = '', email = '', name = '', next, problem }: Entered): Html {
  const address = html`<label>Email
    <input type="email" name="email" value="${email}" required autocomplete="username"></label>`;
  const first = step.kind === 'proven' ? html`<input type="hidden" name="code" value="${code}">` : address;
  return html`<h1>${step.kind === 'proven' ? `Create an account for ${step.email}` : 'Create an account'}</h1>
    ${problem}
    <form method="post" action="/auth/sign-up">
      ${localPath(next) === undefined ? '' : html`<input type="hidden" name="next" value="${localPath(next)}">`}
      ${first}
      ${step.kind === 'address' ? html`<button>Send me a link</button>` : account(name)}
    </form>
    <p><a href="/auth/sign-in">Sign in</a> if you have an account.</p>`;
}

function account(name: string): Html {
  return html`${newAccountFields(name, 'nickname')}
    <button>Create the account</button>`;
}

/** The answer must not depend on whether the account exists. */
function sent({ email }: LinkSent): Html {
  return html`<h1>Check your mail</h1>
    <p>We sent a mail with the next step to ${email}. Its link works for a day.</p>
    <p>Nothing there? Check your spam folder. We send only a few mails per hour.</p>`;
}

function welcome({ handle }: SignedUp, next: string | undefined): Html {
  const path = localPath(next);
  const query = path === undefined ? '' : `?next=${encodeURIComponent(path)}`;
  return html`<h1>Welcome, ${handle}</h1>
    <p>Your account is ready. <a href="/auth/sign-in${query}">Sign in</a> to continue.</p>`;
}

export function newAccountFields(name: string, autocomplete: 'username' | 'nickname'): Html {
  const offered = proposedName('organization', name) ?? name;
  return html`<label>Handle <input name="name" value="${offered}" autocomplete="${autocomplete}">
      <small>Your name here: a-z, 0-9 and -. By default derived from the email address</small></label>
    <label>Password <input type="password" name="password" required minlength="12" autocomplete="new-password">
      <small>At least 12 characters</small></label>`;
}

export function linkMail(c: Exchange): LinkMail {
  const { store, mail, settings } = c.deps;
  return { store, mail, publicUrl: settings.publicUrl };
}

export function askerOf(c: Exchange): Asker {
  const { limiter } = c.deps;
  return { ...originOf(c), askLink: () => limiter.askLink(c.address) };
}

const titleForgot = 'Forgotten password';

export const forgotForm: RouteHandler = (c) =>
  answerPage(c, { title: titleForgot, content: c.deps.mail === undefined ? unmailed() : formForgot('') });

export const forgot: RouteHandler = async (c) =>
  await answerForm(c, {
    title: titleForgot,
    fields: forgotFields,
    submit: (given) => mailReset(linkMail(c), given, askerOf(c)),
    done: sentForgot,
    again: ({ email }, problem) => (c.deps.mail === undefined ? unmailed() : formForgot(email, problem)),
  });

function formForgot(email: string, problem?: Html): Html {
  return html`<h1>Forgotten password</h1>
    ${problem}
    <p>We mail a link to the address of your account. Use it to set a new password.</p>
    <form method="post" action="/auth/forgot">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="username"></label>
      <button>Send the link</button>
    </form>`;
}

function unmailed(): Html {
  return html`<h1>Forgotten password</h1>
    <p>${withoutMail().message}</p>
    <p>If you operate the server, create one on its machine:</p>
    <pre tabindex="0">cairn admin reset-password --email YOU@EXAMPLE.COM</pre>
    <p><a href="/auth/sign-in">Back to signing in</a></p>`;
}

function sentForgot({ email }: LinkSent): Html {
  return html`<h1>Check your mail</h1>
    <p>If ${email} belongs to an account, we sent a link to it. The link works once, within an hour.</p>
    <p>Nothing there? Check your spam folder, and whether your account has another address. We send only a few links per
      hour.</p>`;
}
