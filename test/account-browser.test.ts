// The account page in a real browser: its content, how sessions end, and how pages of other sites are kept out.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { startBrowser, type Visit } from './support/chromium.ts';
import { createPerson } from './support/person.ts';
import { OWNER, startTestServer } from './support/server.ts';
import { UPPER_ENGINES } from './support/store.ts';

async function openSite(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  await createPerson(store, { ...OWNER, operator: true });
  return { url, store };
}

async function signIn({ page }: Visit, url: string): Promise<void> {
  await page.goto(`${url}/auth/sign-in?next=/auth/account`);
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
}

async function startOtherSite(content: string): Promise<string> {
  const html = `<!doctype html><title>x</title>${content}`;
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.each(UPPER_ENGINES)('a browser on %s', (engine) => {
  it('shows where somebody is signed in, and signs out there and everywhere, without script', async () => {
    const { url } = await openSite(engine);
    const visit = await startBrowser();
    const [here, other, third] = [await visit({ javaScript: false }), await visit(), await visit()];
    for (const one of [here, other, third]) await signIn(one, url);
    await here.page.reload();
    expect(await here.page.getByRole('listitem').count()).toBe(3);
    expect(await here.page.getByText('(this browser)').count()).toBe(1);
    await here.page
      .getByRole('button', { name: /^End: / })
      .first()
      .click();
    await here.page.getByRole('heading', { level: 1, name: 'ada' }).waitFor();
    expect(await here.page.getByRole('listitem').count()).toBe(2);
    await third.page.reload();
    await third.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await here.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('heading', { level: 1, name: 'You are signed out everywhere' }).waitFor();
    await other.page.reload();
    await other.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect([here, other, third].flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  it('ends nothing because a page of another site sends the form', async () => {
    const { url, store } = await openSite(engine);
    const visit = await startBrowser();
    const here = await visit();
    await signIn(here, url);
    const csrf = await here.page.locator('input[name=csrf]').first().inputValue();
    const fields = `<input name="csrf" value="${csrf}"><input name="all" value="yes">`;
    const form = `<form method="post" action="${url}/auth/sessions/end">${fields}</form>`;
    const other = await startOtherSite(`${form}<script>document.forms[0].submit()</script>`);
    await here.page.goto(other);
    // The form is not signed in: the browser does not send its cookie to another site.
    await here.page.getByRole('button', { name: 'Sign in' }).waitFor();
    const standing = 'select id from session where ended_at is null';
    expect(await store.database.query(standing)).toHaveLength(1);
    // To the browser, another name of this machine is the same site, so it sends the cookie.
    const framing = await startOtherSite(`<iframe src="${url}/auth/account"></iframe>`);
    await here.page.goto(framing.replace('127.0.0.1', 'localhost'));
    const shown = await Promise.all(here.page.frames().map((frame) => frame.content().catch(() => '')));
    expect(shown.join('')).not.toContain('Sign out everywhere');
  });
});
