// What the account page shows of other providers: the identities that are connected, and forms to connect and disconnect.
import { utcDayText } from '@cairn/protocol/time-text';
import { html } from 'hono/html';
import type { EdgeContext } from '../../http/env.ts';
import type { Html } from '../../http/page.ts';
import type { BrowserSession } from '../browser-session.ts';
import { type AccountIdentities, listIdentities } from '../external/external-identity.ts';

type Identity = AccountIdentities['identities'][number];

/** Nothing where no provider is set and none is connected. */
export async function identitySection(c: EdgeContext, session: BrowserSession): Promise<Html> {
  const { store, externalProvider } = c.get('deps');
  const { identities, hasPassword } = await listIdentities(store, session.accountId);
  if (externalProvider === undefined && identities.length === 0) return html``;
  const { csrf } = session;
  return html`<h2>Other ways to sign in</h2>
    ${hasPassword ? '' : noPassword}
    ${identities.length === 0 ? html`<p>None is connected.</p>` : identities.map((one) => connected(one, csrf))}
    ${externalProvider === undefined ? '' : connect({ name: externalProvider.name, csrf, hasPassword })}`;
}

const noPassword = html`<p>Your account has no password. To set one, <a href="/auth/forgot">ask for a link</a>.</p>`;

function connected({ issuer, subject, email, createdAt }: Identity, csrf: string): Html {
  const who = email ?? subject;
  const since = utcDayText(createdAt);
  return html`<form method="post" action="/auth/external/unlink">
      <input type="hidden" name="csrf" value="${csrf}">
      <input type="hidden" name="issuer" value="${issuer}">
      <input type="hidden" name="subject" value="${subject}">
      <p>${who} at ${new URL(issuer).host}, since ${since}</p>
      <button aria-label="Disconnect ${who}">Disconnect</button>
    </form>`;
}

interface Connecting {
  readonly name: string;
  readonly csrf: string;
  readonly hasPassword: boolean;
}

/** Who connects an identity gives the account to whoever has it: so the password is asked for again. */
export function connect({ name, csrf, hasPassword }: Connecting): Html {
  const password = html`<label>Password <input type="password" name="password" required autocomplete="current-password">
    <small>of your account here</small></label>`;
  return html`<form method="post" action="/auth/external">
      <input type="hidden" name="csrf" value="${csrf}">
      ${hasPassword ? password : ''}
      <button>Connect ${name}</button>
    </form>`;
}
