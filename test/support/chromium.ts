// Visits of a real browser, for everything that people do with one.
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Browser, BrowserContext, Page, Route } from '../tools/chromium.ts';
import { launchChromium } from '../tools/chromium.ts';
import { PATIENCE_MS } from './patience.ts';
import { amount } from './suite.ts';

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained of: policies that were violated, scripts that failed, files that were missing. */
  readonly complaints: string[];
  /** What it may complain of, since the test is about just that. */
  readonly expected: RegExp[];
}

export interface VisitOptions {
  readonly javaScript?: boolean;
  /** As wide and high as a window, or a phone. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** What the driver of the graphics says of its own speed, which in a test is that of software. */
const DRIVER = /^\[\.WebGL-\w+\]GL Driver Message \(OpenGL, Performance,/;

/** Answers to pages come up to so much later: what a page does meanwhile must not depend on a fast server. */
const DELAY_MS = amount('DELAY_MS', { short: 0, long: 300 });

async function answerLate(route: Route): Promise<void> {
  await pause(Math.random() * DELAY_MS);
  // Unless the page is gone.
  await route.continue().catch(() => {});
}

let launched: Promise<Browser> | undefined;

/** One for all tests of a process: to start it takes longer than most of them. */
async function sharedBrowser(): Promise<Browser> {
  const running = await launched;
  if (running?.isConnected()) return running;
  launched = launchChromium();
  return await launched;
}

/** Visits of somebody who has never been here, each with cookies and storage of its own; they go with the test. */
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
