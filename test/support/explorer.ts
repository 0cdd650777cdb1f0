// The explorer in a real browser, with a real server that has content.
import { readFileSync } from 'node:fs';
import { CairnClient } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { Store } from '../../packages/server/src/store.ts';
import type { BrowserContext, Page, Route } from '../tools/chromium.ts';
import { toolPath } from '../tools/install.ts';
import { startBrowser, type Visit, type VisitOptions } from './chromium.ts';
import { createPerson } from './person.ts';
import { OWNER, startTestServer } from './server.ts';
import { IS_LONG } from './suite.ts';

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 800 };
/** For `describe.each`: each story on a desktop, and in the long suite also on a phone. */
export const SIZES = [
  { device: 'desktop', size: DESKTOP },
  { device: 'phone', size: PHONE },
].slice(0, IS_LONG ? 2 : 1);

/** A test of a detail, for the long suite only. The default suite has each story once. */
export const detail = it.runIf(IS_LONG);

interface Credentials {
  readonly email: string;
  readonly password: string;
}

interface VisitChoice {
  readonly size?: VisitOptions['size'];
  readonly signedIn?: boolean | Credentials;
}

export interface ExplorerWorld {
  readonly url: string;
  readonly client: CairnClient;
  readonly token: string;
  readonly store: Store;
  /** Opens a new browser without a page, signed in as the owner if requested. */
  readonly visit: (options?: VisitChoice) => Promise<Visit>;
}

/** A server owned by `ada`, with the content that `fill` writes. */
export async function openExplorer(
  fill: (client: CairnClient) => Promise<unknown>,
  { engine = 'sqlite', environment = {} }: { engine?: Engine; environment?: Record<string, string> } = {},
): Promise<ExplorerWorld> {
  const { url, store } = await startTestServer(engine, {
    CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0',
    ...environment,
  });
  await createPerson(store, { ...OWNER, operator: true });
  const { token } = await createToken(store, { email: OWNER.email, name: 'all', scopes: EVERYTHING });
  const client = new CairnClient({ url, token });
  await fill(client);
  const open = await startBrowser();
  return {
    url,
    client,
    token,
    store,
    visit: async ({ size = DESKTOP, signedIn = false } = {}) => {
      const visit = await open({ size });
      if (signedIn !== false) await signIn(visit.context, url, signedIn === true ? OWNER : signedIn);
      return visit;
    },
  };
}

/** Sends the form of the sign-in page directly, because most tests are about other pages. */
async function signIn(context: BrowserContext, url: string, { email, password }: Credentials): Promise<void> {
  const form = { email, password };
  const answer = await context.request.post(`${url}/auth/sign-in`, { form, headers: { origin: url } });
  expect(answer.status()).toBe(200);
}

const AXE = readFileSync(toolPath('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Checks a loaded page: axe finds nothing, the browser has no complaints, and the page is not wider than its window.
 */
export async function expectWellMade({ page, complaints }: Visit): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await expect.poll(() => page.locator('.waiting').allTextContents()).toEqual([]);
  if (await isDue(page)) expect(await violationsIn(page)).toEqual([]);
  const [wide, window] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
  expect(wide).toBeLessThanOrEqual(window);
  expect(complaints).toEqual([]);
}

const looked = new Set<string>();

/** In the default suite, axe checks each kind of page once per process, and again for each dialog on it. */
async function isDue(page: Page): Promise<boolean> {
  const dialogs = await page.locator('dialog[open]').evaluateAll((open) => open.map(({ id }) => id));
  const headings = await page.locator('h1, h2').evaluateAll((all) => all.map(({ tagName }) => tagName));
  const [, , , kind, part] = new URL(page.url()).pathname.split('/');
  const key = [kind, kind === 'operate' ? part : '', ...headings, ...dialogs].join('\n');
  if (!IS_LONG && looked.has(key)) return false;
  looked.add(key);
  return true;
}

async function violationsIn(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    'axe.run({ resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)',
  )) as Violation[];
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
}

const MISSING = /status of 404 /;

/** The browser reports every missing resource, even if the page handles the error. */
export function expectMissing({ expected }: Visit): void {
  expected.push(MISSING);
}

/** Runs `happen` during the page's next request of `call`, so that this request is the first to see its effect. */
export async function whileAsked(page: Page, call: string, happen: () => Promise<unknown>): Promise<void> {
  const answer = async (route: Route) => {
    await happen();
    await route.continue();
  };
  await page.route(`**/trpc/*${call}*`, answer, { times: 1 });
}
