// Where Chromium is on this machine: it is not brought by npm.
import { findProgram } from './program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser as people have it. */
export const chromiumPath = () => pathOf(NAMES);

/** The same without windows, where it is installed: it does a page in half of the time. */
export const headlessPath = () => pathOf(['chromium-headless-shell', ...NAMES]);

function pathOf(names: readonly string[]): string {
  const found = process.env.CAIRN_TEST_CHROMIUM || findProgram(names);
  if (found !== undefined) return found;
  throw new Error(
    `Chromium is not on this machine. Install it (Debian: apt-get install ${names[0]}), or set CAIRN_TEST_CHROMIUM to where it is.`,
  );
}
