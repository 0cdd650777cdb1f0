// Every page of /auth and /oauth, in every state: readable by a screen reader, without script, and never framed.
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import { describe, expect, it } from 'vitest';
import { Browser, formsOf, type Visited } from '../../../../test/support/browser.ts';
import {
  authorizeUrl,
  connect,
  newBrowser,
  openSignedIn,
  openSite,
  pkce,
  postForm,
  registerClient,
} from '../../../../test/support/oauth.ts';
import { OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const PAGES = (Object.keys(ROUTES) as RouteKey[])
  .map((key) => routeAddress(key))
  .filter(({ method, path }) => method === 'GET' && /^\/(auth|oauth)\//.test(path))
  .map(({ path }) => path.replaceAll(/:\w+/g, 'x'));

function faultsOf({ url, headers, text }: Visited): string[] {
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(`${new URL(url).pathname}: ${what}`);
  };
  const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
  must(headers.get('content-type') === 'text/html; charset=utf-8', `content-type ${headers.get('content-type')}`);
  must(/^<!doctype html>\s*<html lang="en">/i.test(text), 'no doctype or language');
  must(/<title>[^<]{3,}<\/title>/.test(text), 'no title');
  must(count(/<h1[ >]/g) === 1, `${count(/<h1[ >]/g)} h1`);
  must(count(/<main[ >]/g) === 1, 'no main');
  must(!/<script|javascript:/i.test(text), 'a script');
  must(!/<style|\sstyle=/i.test(text), 'a style inline');
  must(!/<[^>]*\son\w+=/i.test(text), 'a handler inline');
  must(
    !/\s(?:src|href|action)="(?:https?:)?\/\//i.test(text.replaceAll(`"${new URL(url).origin}`, '"')),
    'leads elsewhere',
  );
  const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  must(new Set(ids).size === ids.length, 'an id twice');
  for (const [, attributes = ''] of text.matchAll(/<input([^>]*)>/g)) {
    const [, id] = /\sid="([^"]*)"/.exec(attributes) ?? [];
    const labelled =
      /type="hidden"|aria-label=/.test(attributes) ||
      (id !== undefined && text.includes(`for="${id}"`)) ||
      isWithinLabel(text, attributes);
    must(labelled, `no label for${attributes}`);
  }
  for (const [, attributes = '', inside = ''] of text.matchAll(/<(?:button|a)([^>]*)>([\s\S]*?)<\/(?:button|a)>/g)) {
    must(
      inside.replaceAll(/<[^>]*>/g, '').trim() !== '' || /aria-label=/.test(attributes),
      'a button or link without words',
    );
  }
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    must(policy.includes(part), `no ${part}`);
  }
  must(!/unsafe|script-src/.test(policy), policy);
  must(headers.get('x-frame-options') === 'DENY', 'may be framed');
  must(headers.get('x-content-type-options') === 'nosniff', 'may be sniffed');
  must(/no-store/.test(headers.get('cache-control') ?? ''), `cache-control ${headers.get('cache-control')}`);
  must(headers.get('x-request-id') !== null, 'no request id');
  return faults;
}

function isWithinLabel(text: string, attributes: string): boolean {
  const before = text.slice(0, text.indexOf(`<input${attributes}>`));
  return before.lastIndexOf('<label') > before.lastIndexOf('</label');
}

const isPage = ({ headers }: Visited) => headers.get('content-type')?.startsWith('text/html');

describe.each(UPPER_ENGINES)('pages on %s', (engine) => {
  it('are plain and safe, signed in or not', async () => {
    const { url } = await openSite(engine, { CAIRN_SIGNUP: 'open' });
    const signedIn = newBrowser();
    const account = await openSignedIn(signedIn, `${url}/auth/sign-in?next=/auth/account`);
    expect(account.url).toBe(`${url}/auth/account`);
    await connect({ url, browser: signedIn });
    const seen: Visited[] = [account];
    for (const path of PAGES) {
      for (const query of ['', '?code=wrong&next=/docs/api&user_code=AAAA-AAAA&error=x']) {
        seen.push(await new Browser().open(`${url}${path}${query}`), await signedIn.open(`${url}${path}${query}`));
      }
    }
    const pages = seen.filter(isPage);
    expect(pages.length).toBeGreaterThan(PAGES.length);
    expect(pages.flatMap(faultsOf)).toEqual([]);
  });

  it('stay so when something is wrong with what was sent', async () => {
    const { url } = await openSite(engine, { CAIRN_SIGNUP: 'open' });
    const pages: Visited[] = [];
    for (const path of PAGES) {
      const browser = newBrowser();
      const page = await browser.open(`${url}${path}`);
      if (!isPage(page)) continue;
      for (const [at, { values }] of formsOf(page).entries()) {
        const wrong = Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, value || 'wrong@example.com']),
        );
        const answer = await browser.submit(page, wrong, at);
        expect(answer.status, path).toBeLessThan(500);
        if (isPage(answer)) pages.push(answer);
      }
    }
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.flatMap(faultsOf)).toEqual([]);
  });

  it('stay so when a field holds what no database could look for', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    const { text } = await openSignedIn(browser, `${url}/auth/sign-in`);
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(text) ?? [];
    const forms: [string, Record<string, string>][] = [
      ['/auth/sign-in', { email: 'a\0@example.com', password: 'wrong' }],
      ['/auth/sessions/end', { csrf, id: '\0' }],
      ['/auth/external/unlink', { csrf, issuer: 'a\0', subject: 'b' }],
      ['/auth/external/unlink', { csrf, issuer: 'a', subject: '\0' }],
    ];
    for (const [path, fields] of forms) {
      const body = new URLSearchParams(fields);
      const answer = await browser.send(`${url}${path}`, { method: 'POST', headers: { origin: url }, body });
      expect([answer.status, faultsOf(answer)], path).toEqual([400, []]);
      expect(answer.text, path).toContain('role="alert"');
    }
  });

  it('stay so where people decide', async () => {
    const { url } = await openSite(engine);
    const browser = newBrowser();
    const { client_id } = await registerClient(url);
    const { challenge } = await pkce();
    const address = authorizeUrl(url, { client_id, code_challenge: challenge });
    const first = await browser.open(address);
    const question = await browser.submit(first, { email: OWNER.email, password: OWNER.password });
    const again = await browser.send(question.url, {
      method: 'POST',
      headers: { origin: url },
      body: new URLSearchParams({ csrf: 'x', decision: 'allow' }),
    });
    const allowed = await browser.send(question.url, {
      method: 'POST',
      headers: { origin: url },
      body: new URLSearchParams({ ...formsOf(question)[0]?.values, decision: 'allow' }),
    });
    expect(allowed.text).toContain('http-equiv="refresh"');
    const over = await browser.open(question.url);
    const problem = await browser.open(authorizeUrl(url, { client_id, redirect_uri: 'https://evil.example/' }));
    const device = (await (
      await postForm(`${url}/oauth/device-authorization`, { client_id: 'cairn-cli', scope: 'cairn' })
    ).json()) as { user_code: string };
    const entry = await browser.open(`${url}/oauth/device`);
    const unknown = await browser.submit(entry, { user_code: 'AAAA-AAAA' });
    const asked = await browser.submit(unknown, { user_code: device.user_code });
    const done = await browser.submit(asked, { decision: 'allow' });
    expect(done.text).toContain('is connected');
    const all = [first, question, again, allowed, over, problem, entry, unknown, asked, done];
    expect(all.map(isPage)).toEqual(all.map(() => true));
    expect(all.flatMap(faultsOf)).toEqual([]);
  });
});
