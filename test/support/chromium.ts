// A real browser, for what people do with one. Chromium must be on the machine: it is not brought by npm.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findProgram } from './program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function chromiumPath(): string {
  const found = process.env.CAIRN_TEST_CHROMIUM || findProgram(NAMES);
  if (found !== undefined) return found;
  throw new Error(
    'This test needs Chromium. Install it (Debian: apt-get install chromium), or set CAIRN_TEST_CHROMIUM to where it is.',
  );
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complained of: policies that were violated, scripts that failed, files that were missing. */
  readonly complaints: string[];
}

export interface VisitOptions {
  readonly javaScript?: boolean;
}

/** A browser that nobody has used yet; it goes with the test. */
export async function startBrowser(): Promise<(options?: VisitOptions) => Promise<Visit>> {
  // Its sandbox does not work for root, which is who runs in most containers.
  const chromiumSandbox = process.getuid?.() !== 0;
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath(), chromiumSandbox });
  onTestFinished(() => browser.close());
  return async ({ javaScript = true } = {}) => {
    const context = await browser.newContext({ javaScriptEnabled: javaScript });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return { context, page, complaints };
  };
}
