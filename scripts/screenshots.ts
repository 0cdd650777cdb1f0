// `npm run screenshots`: takes the pictures of docs/explorer.md from this checkout's demo repository.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { pino } from 'pino';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { startServer } from '../packages/server/src/server.ts';
import { writeValley } from '../packages/web/src/features/home/valley.ts';
import { type Browser, launchChromium, type Page } from '../test/tools/chromium.ts';
import { animate } from './animate.ts';
import { buildWeb } from './build-web.ts';

const FOLDER = join(import.meta.dirname, '../docs/explorer');
const DESKTOP = { width: 1_120, height: 760 };
const PHONE = { width: 390, height: 760 };

interface Shot {
  readonly name: string;
  readonly path: string;
  /** Text that must be visible before the picture is taken. */
  readonly shows: string;
  readonly size?: typeof DESKTOP;
  readonly dark?: true;
  /** Prepares the page before the picture, as the signed-in user. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const REPOSITORY = '/demo/valley';
const SHOTS: readonly Shot[] = [
  { name: 'overview', path: REPOSITORY, shows: 'A small valley' },
  { name: 'records', path: `${REPOSITORY}/records?shape=Location`, shows: 'Location/cave' },
  { name: 'record', path: `${REPOSITORY}/record/Location/cave`, shows: 'I slept there' },
  { name: 'record-dark', path: `${REPOSITORY}/record/Location/cave`, shows: 'I slept there', dark: true },
  { name: 'graph', path: `${REPOSITORY}/graph?from=Location/cave`, shows: 'Location/cave' },
  { name: 'shapes', path: `${REPOSITORY}/shapes`, shows: 'Somebody who lives in the valley' },
  { name: 'commit', path: `${REPOSITORY}/commits/7`, shows: 'After the storm' },
  { name: 'before-the-storm', path: `${REPOSITORY}/records?shape=Location&at=6`, shows: 'Location/bridge' },
  { name: 'phone', path: `${REPOSITORY}/record/Location/cave`, shows: 'I slept there', size: PHONE },
  {
    name: 'edit',
    path: `${REPOSITORY}/edit/Location/cave`,
    shows: 'expected a number, got "high"',
    prepare: async (page) => {
      await page.getByLabel('danger').fill('high');
      await page.getByRole('button', { name: 'Review' }).click();
    },
  },
  {
    name: 'draft',
    path: `${REPOSITORY}/edit/Location/cave`,
    shows: 'They become one commit',
    prepare: async (page) => {
      await page.getByLabel('danger').fill('0.4');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByLabel('Message').fill('The roof was mended');
    },
  },
  {
    name: 'subscription',
    path: `${REPOSITORY}/operate/subscriptions/-/new`,
    shows: 'Location/',
    prepare: async (page) => {
      await page.getByRole('list', { name: 'Latest operations, newest first' }).waitFor();
      await page.evaluate("document.querySelector('.preview').scrollIntoView({ block: 'end' })");
    },
  },
  { name: 'members', path: '/demo/-/members', shows: 'Members', prepare: async () => undefined },
  { name: 'token', path: '/-/tokens', shows: 'Tokens', prepare: async () => undefined },
];

/** The animation of the README: the graph of the valley at some of its commits, and what happened there. */
const MOMENTS: readonly { readonly at: number; readonly shownMs: number }[] = [
  { at: 4, shownMs: 1_200 },
  { at: 5, shownMs: 1_200 },
  { at: 6, shownMs: 2_000 },
  { at: 7, shownMs: 2_500 },
  { at: 8, shownMs: 2_500 },
  { at: 11, shownMs: 2_500 },
];

/** The time slider and the graph, without the header and the tabs above. */
const BELOW_TABS = { x: 0, y: 152, width: 1_000, height: 780 };

const DEMO = { email: 'demo@example.com', name: 'demo', password: 'demo-demo-demo' };

async function serveDemo(folder: string) {
  const config = readConfig([], { CAIRN_DATA: folder, PORT: '0', CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const server = await startServer(config, pino({ level: 'silent' }));
  await createAccount(server.store, { ...DEMO, operator: true });
  const { token } = await createToken(server.store, { email: DEMO.email, name: 'screenshots', scopes: EVERYTHING });
  await writeValley(new CairnClient({ url: server.url, token }), 'demo', { visibility: 'public' });
  return server;
}

async function take(browser: Browser, url: string, shot: Shot): Promise<void> {
  const { name, path, shows, size = DESKTOP, dark, prepare } = shot;
  const context = await browser.newContext({
    viewport: size,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page: Page = await context.newPage();
  if (prepare !== undefined) await signIn(page, url);
  await page.goto(`${url}${path}`);
  await prepare?.(page);
  await page.getByText(shows).first().waitFor();
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await context.close();
}

async function takeAnimation(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1_000, height: 1_000 }, reducedMotion: 'reduce' });
  const page: Page = await context.newPage();
  const frames: Parameters<typeof animate>[0][number][] = [];
  for (const { at, shownMs } of MOMENTS) {
    await page.goto(`${url}${REPOSITORY}/graph?from=Location/cave&at=${at}`);
    await page
      .getByText(/ records, /)
      .first()
      .waitFor();
    await page.waitForTimeout(1_500);
    frames.push({ png: await page.screenshot({ clip: BELOW_TABS }), shownMs });
  }
  writeFileSync(join(FOLDER, 'time-travel.png'), animate(frames));
  await context.close();
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/auth/sign-in`);
  await page.getByLabel('Email').fill(DEMO.email);
  await page.getByLabel('Password').fill(DEMO.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((address) => address.pathname !== '/auth/sign-in');
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-screenshots-'));
await buildWeb();
mkdirSync(FOLDER, { recursive: true });
const server = await serveDemo(folder);
const browser = await launchChromium();
try {
  for (const shot of SHOTS) await take(browser, server.url, shot);
  await takeAnimation(browser, server.url);
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
