// A real browser, for what people do with one. Chromium must be on the machine: it is not brought by npm.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { chromiumPath } from './chromium-path.ts';

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained of: policies that were violated, scripts that failed, files that were missing. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly javaScript?: boolean;
  /** As wide and high as a window, or a phone. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** What the driver of the graphics says of its own speed, which in a test is that of software. */
const DRIVER = /^\[\.WebGL-\w+\]GL Driver Message \(OpenGL, Performance,/;

/** A browser that nobody has used yet; it goes with the test. */
export async function startBrowser(): Promise<(options?: VisitOptions) => Promise<Visit>> {
  // Its sandbox does not work for root, which is who runs in most containers.
  const chromiumSandbox = process.getuid?.() !== 0;
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath(), chromiumSandbox });
  onTestFinished(() => browser.close());
  return async ({ javaScript = true, size } = {}) => {
    const context = await browser.newContext({ javaScriptEnabled: javaScript, ...(size && { viewport: size }) });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (DRIVER.test(message.text())) return;
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { context, page, complaints };
  };
}
