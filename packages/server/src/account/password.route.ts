// The pages where people set their passwords: behind a reset link, and with the present password.
import { passwordFields, resetFields } from '@cairn/protocol/sign-in-routes';
import { html } from 'hono/html';
import { originOf, type RouteHandler } from '../http/env.ts';
import { answerForm, answerPage, answerRefusal } from '../http/form.ts';
import type { Html } from '../http/page.ts';
import { visitorOf } from '../http/rate-limit.ts';
import { changePassword, checkResetCode, type PasswordSet, resetPassword } from './password.ts';

const title = 'Password';

export const resetForm: RouteHandler = async (c) => {
  const code = c.req.query('code') ?? '';
  try {
    const { handle } = await checkResetCode(c.var.deps.store, code);
    return await answerPage(c, { title, content: newPassword({ handle, code }) });
  } catch (error) {
    return await answerRefusal(c, error, { title, content: refused });
  }
};

export const reset: RouteHandler = async (c) => {
  const { store } = c.var.deps;
  return await answerForm(c, {
    title,
    fields: resetFields,
    submit: (given) => resetPassword(store, given, originOf(c)),
    done,
    again: async ({ code }, problem) =>
      await checkResetCode(store, code).then(
        ({ handle }) => newPassword({ handle, code, problem }),
        () => refused(problem),
      ),
  });
};

export const passwordForm: RouteHandler = (c) => answerPage(c, { title, content: change('') });

export const password: RouteHandler = async (c) => {
  const { store } = c.var.deps;
  return await answerForm(c, {
    title,
    fields: passwordFields,
    submit: (given) => changePassword(store, given, visitorOf(c)),
    done,
    again: ({ email }, problem) => change(email, problem),
  });
};

function refused(problem: Html): Html {
  return html`<h1>Password</h1>${problem}<p><a href="/auth/forgot">Forgotten password</a></p>`;
}

function newPassword({ handle, code, problem }: { handle: string; code: string; problem?: Html }): Html {
  return html`<h1>A new password for ${handle}</h1>
    ${problem}
    <form method="post" action="/auth/reset">
      <input type="hidden" name="code" value="${code}">
      ${newPasswordField()}
      <button>Set the password</button>
    </form>`;
}

function change(email: string, problem?: Html): Html {
  return html`<h1>Change your password</h1>
    ${problem}
    <form method="post" action="/auth/password">
      <label>Email <input type="email" name="email" value="${email}" required autocomplete="username"></label>
      <label>Present password <input type="password" name="password" required autocomplete="current-password"></label>
      ${newPasswordField()}
      <button>Change the password</button>
    </form>`;
}

function newPasswordField(): Html {
  return html`<label>New password
    <input type="password" name="newPassword" required minlength="12" autocomplete="new-password">
    <small>at least 12 characters</small></label>`;
}

function done({ handle, tokensEnded }: PasswordSet): Html {
  const tokens = tokensEnded
    ? 'the address is now proven to be yours, so tokens of before, and other ways to sign in, have ended, too'
    : 'tokens stay as they are';
  return html`<h1>Done</h1>
    <p>The password of ${handle} is set. Whoever was signed in with the old one is signed out; ${tokens}.</p>
    <p><a href="/auth/sign-in">Sign in</a></p>`;
}
