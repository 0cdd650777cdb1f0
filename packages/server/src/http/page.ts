// The frame of server-rendered pages: plain HTML, one stylesheet, no script.
import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

interface Frame {
  readonly onward?: string | undefined;
  readonly isKnown?: boolean;
  /** On pages of the documentation: its address, and the text of a search. */
  readonly docs?: { readonly address: string; readonly search?: string };
}

export function page(title: string, content: Html, { onward, isKnown = false, docs }: Frame = {}): string {
  return String(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · Cairn</title>
    <link rel="stylesheet" href="/assets/cairn.css">
    <link rel="icon" href="/assets/cairn.svg">
    ${onward === undefined ? '' : html`<meta http-equiv="refresh" content="0; url=${onward}">`}
  </head>
  <body>
    <header class="frame">
      <a href="/" class="brand"><img src="/assets/cairn.svg" alt="" width="20" height="20"> Cairn</a>
      ${docs === undefined ? '' : searchForm(docs.search)}
      <nav aria-label="Server">
        <a href="/docs">Docs</a>
        ${isKnown ? html`<a href="/-/tokens">Tokens</a><a href="/auth/account">Account</a>` : ''}
        ${docs === undefined || isKnown ? '' : html`<a href="/auth/sign-in?next=${docs.address}">Sign in</a>`}
      </nav>
    </header>
    <main>${content}</main>
  </body>
</html>
`);
}

function searchForm(search = ''): Html {
  return html`<form action="/docs" role="search">
        <input type="search" name="q" value="${search}" aria-label="Search the documentation" placeholder="Search the docs">
      </form>`;
}
