// Command sign-in as people do it: a real server, a real `cairn` process, and a real browser driven by typing and key
// presses.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Profile } from '../packages/cli/src/profile-file.ts';
import type { Engine } from '../packages/server/src/engine/database.ts';
import { startBrowser, type Visit } from './support/chromium.ts';
import { OWNER, settingsOf, startCairn, startServerProcess, type TestProcess, testFolder } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';
import type { Page } from './tools/chromium.ts';

async function serve(engine: Engine, more: Record<string, string> = {}): Promise<string> {
  const owner = { CAIRN_OWNER_EMAIL: OWNER.email, CAIRN_OWNER_PASSWORD: OWNER.password };
  const settings = { PORT: '0', ...settingsOf(await testLocation(engine)), ...owner, ...more };
  const server = startServerProcess(settings);
  return (await server.printed(/Cairn \S+ is at (\S+) /))[1] ?? '';
}

/** Runs `cairn` for a person whose profiles are in a new folder. */
function openCommands() {
  const file = join(testFolder(), 'cairn', 'profiles.json');
  const start = (...args: string[]): TestProcess => startCairn(args, { CAIRN_CONFIG: file });
  const run = async (...args: string[]) => {
    const command = start(...args);
    const { code } = await command.ended();
    return { code, output: command.output() };
  };
  const text = () => readFileSync(file, 'utf8');
  const change = (changed: (profile: Required<Profile>) => Profile) => {
    const profiles = JSON.parse(text());
    profiles.profiles.default = changed(profiles.profiles.default);
    writeFileSync(file, JSON.stringify(profiles));
  };
  return { start, run, text, change, folder: dirname(file) };
}

/** Accessibility requirements of each page: a name for every control, one heading, a language, and a title. */
async function checkPage({ page, complaints }: Visit): Promise<void> {
  const seen = await page.locator('body').ariaSnapshot();
  const unnamed = seen.match(/^ *- (textbox|button|link|checkbox|combobox)(?! ").*$/gm);
  const headings = seen.match(/^ *- heading ".+" \[level=1\]$/gm)?.length;
  const [language, title] = [await page.locator('html').getAttribute('lang'), await page.title()];
  const scripts = await page.locator('script').count();
  expect({ seen, unnamed, headings, language, title, scripts }).toEqual({
    seen,
    unnamed: null,
    headings: 1,
    language: 'en',
    title: expect.stringMatching(/. · Cairn$/),
    scripts: 0,
  });
  expect(complaints).toEqual([]);
}

const TABS_MAX = 20;

/** Presses Tab until the focused element has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    const focus = page.locator(':focus');
    const focused = (await focus.count()) === 0 ? '' : await focus.ariaSnapshot();
    if (focused.includes(` "${name}"`)) return;
    passed.push(focused);
    await page.keyboard.press('Tab');
  }
  throw new Error(`nothing called ${name} gets the focus on ${page.url()}: ${passed.join(' > ')}`);
}

async function showsHeading(page: Page, name: string): Promise<void> {
  await page
    .getByRole('heading', { level: 1, name })
    .waitFor()
    .catch(async () => {
      throw new Error(`${page.url()} does not show "${name}":\n${await page.locator('body').ariaSnapshot()}`);
    });
}

async function press(visit: Visit, button: string, heading: string): Promise<void> {
  await tabTo(visit.page, button);
  await visit.page.keyboard.press('Enter');
  await showsHeading(visit.page, heading);
  await checkPage(visit);
}

async function type({ page }: Visit, field: string, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.type(text);
}

async function goToConsent(visit: Visit, address: string): Promise<void> {
  await visit.page.goto(address);
  await checkPage(visit);
  await press(visit, 'Continue', 'Sign in');
  await type(visit, 'Email', OWNER.email);
  await type(visit, 'Password', OWNER.password);
  await press(visit, 'Sign in', 'Let Cairn CLI act for you?');
}

describe.each(UPPER_ENGINES)('cairn auth login on %s', (engine) => {
  it('signs in by a browser, without script and with the keyboard alone, until somebody signs out', async () => {
    const url = await serve(engine);
    const { start, run, text, change } = openCommands();
    const visit = await (await startBrowser())({ javaScript: false });
    const login = start('--url', url, 'auth', 'login');
    const [, address = '', code = ''] = await login.printed(/Open (\S+)\nand compare the code there: (\S+)/);
    await visit.page.goto(`${url}/oauth/device`);
    await type(visit, 'Code', 'WRNG-WRNG');
    await press(visit, 'Continue', 'Connect a device');
    expect(await visit.page.getByRole('alert').textContent()).toContain('There is no such code.');
    await goToConsent(visit, address);
    expect(await visit.page.locator('.code').textContent()).toBe(code);
    expect(new URL(address).origin).toBe(url);
    await press(visit, 'Allow', 'The device is connected');
    expect(await login.ended(), login.output()).toEqual({ code: 0, signal: null });
    expect(login.output()).toContain(`Signed in to ${url} as ada, in the profile default.`);
    expect(code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);

    expect((await run('--json', 'auth', 'whoami')).output).toContain('"kind": "session"');
    change((profile) => ({ ...profile, session: { ...profile.session, expiresAt: 0 } }));
    const together = await Promise.all([1, 2, 3].map(() => run('--json', 'auth', 'whoami')));
    for (const { code: ended, output } of together)
      expect([ended, output]).toEqual([0, expect.stringContaining('session')]);
    const { session } = JSON.parse(text()).profiles.default;
    const ask = () => fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${session.accessToken}` } });
    expect((await ask()).status).toBe(200);
    for (const secret of [session.accessToken, session.refreshToken]) expect(login.output()).not.toContain(secret);
    const logout = await run('auth', 'logout');
    expect(logout).toEqual({ code: 0, output: `Signed out of ${url}. The profile default was deleted.\n` });
    expect((await ask()).status).toBe(401);
    expect(text()).not.toContain(session.refreshToken);
    expect(await run('auth', 'status')).toMatchObject({ code: 3 });
  });

  it.runIf(IS_LONG)('tells when somebody refuses, in JSON where that is asked for', async () => {
    const url = await serve(engine);
    const { start, run } = openCommands();
    const visit = await (await startBrowser())();
    const login = start('--json', '--url', url, 'auth', 'login', '--no-browser');
    const [line = ''] = await login.printed(/^\{.*\}$/m);
    const { verificationUriComplete, userCode, verificationUri } = JSON.parse(line);
    expect(verificationUri).toBe(`${url}/oauth/device`);
    await goToConsent(visit, verificationUriComplete);
    expect(visit.page.url()).not.toContain(userCode);
    await tabTo(visit.page, 'Refuse');
    await visit.page.keyboard.press('Enter');
    expect((await login.ended()).code).toBe(1);
    expect(login.output()).toContain('"FORBIDDEN"');
    expect((await run('auth', 'whoami', '--url', url)).output).toContain('anonymous');
  });

  it('ends at once when somebody presses Ctrl-C, and leaves nothing', async () => {
    const url = await serve(engine);
    const { start, folder } = openCommands();
    const login = start('--url', url, 'auth', 'login');
    await login.printed(/Waiting up to/);
    login.child.kill('SIGINT');
    expect(await login.ended()).toBeOneOf([
      { code: 130, signal: null },
      { code: null, signal: 'SIGINT' },
    ]);
    expect(login.output()).not.toContain('Error');
    expect(existsSync(folder)).toBe(false);
  });

  it.runIf(IS_LONG)('leads to pages that everybody can use', async () => {
    const url = await serve(engine, { CAIRN_SIGNUP: 'open' });
    const visit = await (await startBrowser())();
    const { page } = visit;
    for (const path of ['/auth/sign-up', '/auth/forgot', '/auth/sign-in?next=/auth/account']) {
      await page.goto(`${url}${path}`);
      await checkPage(visit);
    }
    await type(visit, 'Email', OWNER.email);
    await type(visit, 'Password', OWNER.password);
    await press(visit, 'Sign in', OWNER.name);
    await press(visit, 'Sign out', 'You are signed out');
  });
});
