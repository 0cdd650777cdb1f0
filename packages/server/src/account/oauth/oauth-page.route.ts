// The pages of the OAuth server: the code of a device, consent, and what went wrong.
import { html } from 'hono/html';
import type { Html } from '../../http/page.ts';

export interface CodeEntry {
  readonly xsrf: string;
  readonly userCode?: string | undefined;
  readonly problem?: string | undefined;
}

export function codeEntry({ xsrf, userCode = '', problem }: CodeEntry): Html {
  return html`<h1>Connect a device</h1>
    ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
    <p>${userCode === '' ? 'Type the code that the device or the command line shows.' : 'Compare the code with the one that the device or the command line shows.'}</p>
    <form method="post" action="/oauth/device">
      <input type="hidden" name="xsrf" value="${xsrf}">
      <input type="hidden" name="confirm" value="yes">
      <label>Code <input name="user_code" value="${userCode}" required autocomplete="off" autocapitalize="characters"
        spellcheck="false" autofocus></label>
      <button>Continue</button>
    </form>`;
}

export function deviceConnected(): Html {
  return html`<h1>The device is connected</h1>
    <p>Go back to it, or to your terminal; this page can be closed. You can end its session at any time on <a href="/auth/account">your
      account's page</a>.</p>`;
}

export interface ConsentQuestion {
  readonly csrf: string;
  readonly handle: string;
  readonly clientName: string;
  /** What is known of the client for certain: where it is published, or that it only says so itself. */
  readonly clientHost: string | undefined;
  /** Where the answer goes; `undefined` for a device. */
  readonly redirectHost: string | undefined;
  /** What the device shows, to be compared. */
  readonly userCode: string | undefined;
  readonly toolsOnly: boolean;
  readonly staysConnected: boolean;
}

export function consentQuestion(asked: ConsentQuestion, problem?: Html): Html {
  const { csrf, handle, clientName, clientHost, redirectHost, userCode, toolsOnly, staysConnected } = asked;
  return html`<h1>Let ${clientName} act for you?</h1>
    ${problem}
    ${userCode === undefined ? '' : comparison(userCode)}
    <p>You are signed in as <strong>${handle}</strong>.</p>
    <ul>
      <li>${clientHost === undefined ? 'This name is what the application says of itself; nobody has checked it.' : html`The application is published by <strong>${clientHost}</strong>.`}</li>
      ${redirectHost === undefined ? '' : html`<li>Your answer is sent to <strong>${redirectHost}</strong>.</li>`}
      <li>${toolsOnly ? 'It may use the tools for agents (MCP): read and write all that you may, but not manage tokens, members or credentials.' : 'It may do all that you may: read, write, and manage tokens and members.'}</li>
      <li>${staysConnected ? html`It stays connected until you end it on <a href="/auth/account">your account's page</a>.` : 'It is connected for an hour.'}</li>
    </ul>
    <form method="post">
      <input type="hidden" name="csrf" value="${csrf}">
      <button name="decision" value="allow">Allow</button>
      <button name="decision" value="refuse" class="secondary">Refuse</button>
    </form>`;
}

function comparison(userCode: string): Html {
  return html`<p>The device or the command line must show this code:</p>
    <p><strong class="code">${userCode}</strong></p>
    <p>Allow it only if you began this yourself, and it shows the same code. Somebody who sent you this code or a link to
      this page would act in your name.</p>`;
}

export function oauthProblem({ error, description }: { error: string; description: string }): Html {
  return html`<h1>This does not work</h1>
    <p class="problem" role="alert">${description === '' ? error : description}</p>
    <p>Begin again in the application that led you here. Its developer may need to know: <code>${error}</code>.</p>`;
}
