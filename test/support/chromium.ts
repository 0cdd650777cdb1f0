// Visits of a real browser, for tests of the user interface.
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Browser, BrowserContext, Page, Route } from '../tools/chromium.ts';
import { launchChromium } from '../tools/chromium.ts';
import { PATIENCE_MS } from './patience.ts';
import { amount } from './suite.ts';

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Browser errors: policy violations, failed scripts and missing files. */
  readonly complaints: string[];
  readonly expected: RegExp[];
}

export interface VisitOptions {
  readonly javaScript?: boolean;
  /** The size of a window or a phone. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** The graphics driver reports its slow speed, because tests use software rendering. */
const DRIVER = /^\[\.WebGL-\w+\]GL Driver Message \(OpenGL, Performance,/;

/** Maximum delay of answers to pages, which shows if a page depends on a fast server. */
const DELAY_MS = amount('DELAY_MS', { short: 0, long: 300 });

async function answerLate(route: Route): Promise<void> {
  await pause(Math.random() * DELAY_MS);
  // Fails if the page is already closed.
  await route.continue().catch(() => {});
}

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a process, because its start takes longer than most tests. */
async function sharedBrowser(): Promise<Browser> {
  const running = await launched;
  if (running?.isConnected()) return running;
  launched = launchChromium();
  return await launched;
}

/** Starts visits of new visitors, each with separate cookies and storage. They end with the test. */
export async function startBrowser(): Promise<(options?: VisitOptions) => Promise<Visit>> {
  const browser = await sharedBrowser();
  return async ({ javaScript = true, size } = {}) => {
    const context = await browser.newContext({ javaScriptEnabled: javaScript, ...(size && { viewport: size }) });
    onTestFinished(() => context.close());
    if (DELAY_MS > 0) await context.route('**/trpc/**', answerLate);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    const expected = [DRIVER];
    page.on('console', (message) => {
      if (expected.some((pattern) => pattern.test(message.text()))) return;
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { context, page, complaints, expected };
  };
}
