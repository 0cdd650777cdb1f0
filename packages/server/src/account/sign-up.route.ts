// The page where people make an account, where sign-up is open.
import { signUpFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import type { EdgeContext, RouteHandler } from '../http/env.ts';
import { answerForm, answerPage, answerRefusal } from '../http/form.ts';
import { localPath } from '../http/local-path.ts';
import type { Html } from '../http/page.ts';
import { newAccountFields } from './account-fields.route.ts';
import type { LinkSent } from './forgotten-password.ts';
import { askerOf, linkMail } from './link-mail.route.ts';
import {
  nextSignUpStep,
  type SignedUp,
  type SignUpForm,
  type SignUpPlace,
  type SignUpStep,
  signUp as signUpBy,
} from './sign-up.ts';

const title = 'Sign up';

export const signUpForm: RouteHandler = async (c) => {
  const { code, next } = c.req.query();
  try {
    return await answerPage(c, { title, content: form(await nextSignUpStep(placeOf(c), code), { code, next }) });
  } catch (error) {
    return await answerRefusal(c, error, { title, content: refused });
  }
};

export const signUp: RouteHandler = async (c) => {
  const place = placeOf(c);
  return await answerForm(c, {
    title,
    fields: signUpFields,
    submit: async ({ next: _, ...given }) => await signUpBy(place, given, askerOf(c)),
    done: (result, { next }) => ('handle' in result ? welcome(result, next) : sent(result)),
    again: async (given, problem) =>
      await nextSignUpStep(place, given.code).then(
        (step) => form(step, { ...given, problem }),
        () => refused(problem),
      ),
  });
};

function placeOf(c: EdgeContext): SignUpPlace {
  const { settings, keys } = c.var.deps;
  return { ...linkMail(c), signup: settings.signup, key: keys.signUp };
}

function refused(problem: Html): Html {
  return html`<h1>Sign up</h1>${problem}<p><a href="/auth/sign-in">Sign in</a> if you have an account.</p>`;
}

interface Entered extends SignUpForm {
  /** Where they go when they have signed in. */
  readonly next?: string | undefined;
  readonly problem?: Html;
}

function form(step: SignUpStep, { code = '', email = '', name = '', next, problem }: Entered): Html {
  const address = html`<label>Email
    <input type="email" name="email" value="${email}" required autocomplete="username"></label>`;
  const first = step.kind === 'proven' ? html`<input type="hidden" name="code" value="${code}">` : address;
  return html`<h1>${step.kind === 'proven' ? `An account for ${step.email}` : 'Make an account'}</h1>
    ${problem}
    <form method="post" action="/auth/sign-up">
      ${localPath(next) === undefined ? '' : html`<input type="hidden" name="next" value="${localPath(next)}">`}
      ${first}
      ${step.kind === 'address' ? html`<button>Send me a link</button>` : account(name)}
    </form>
    <p><a href="/auth/sign-in">Sign in</a> if you have an account.</p>`;
}

function account(name: string): Html {
  return html`${newAccountFields({ name, autocomplete: 'nickname' })}
    <button>Make the account</button>`;
}

/** The same whether there is an account or not. */
function sent({ email }: LinkSent): Html {
  return html`<h1>Look into your mail</h1>
    <p>A mail is on its way to ${email}. It says how to go on; its link is good for a day.</p>
    <p>Nothing there? Look among the unwanted mail. More than a few mails in an hour are not sent.</p>`;
}

function welcome({ handle }: SignedUp, next: string | undefined): Html {
  const path = localPath(next);
  const query = path === undefined ? '' : `?next=${encodeURIComponent(path)}`;
  return html`<h1>Welcome, ${handle}</h1>
    <p>Your account is made. <a href="/auth/sign-in${query}">Sign in</a> to go on.</p>`;
}
