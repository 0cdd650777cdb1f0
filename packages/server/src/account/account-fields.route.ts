// What somebody gives for a new account, the same on every page that makes one.
import { proposedName } from '@cairn/protocol/name-proposal';
import { html } from 'hono/html';
import type { Html } from '../http/page.ts';

interface HandleGiven {
  readonly name: string;
  /** What a browser fills in; not `username` where the email address stands for that. */
  readonly autocomplete: 'username' | 'nickname';
}

/** A name that was refused comes back as the nearest one that would be taken. The browser has nothing to say to it. */
export function newAccountFields({ name, autocomplete }: HandleGiven): Html {
  const offered = proposedName('organization', name) ?? name;
  return html`<label>Handle <input name="name" value="${offered}" autocomplete="${autocomplete}">
      <small>what you are called here: a-z, 0-9 and -; by default made from the email address</small></label>
    <label>Password <input type="password" name="password" required minlength="12" autocomplete="new-password">
      <small>at least 12 characters</small></label>`;
}
