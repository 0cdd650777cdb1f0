// Where Chromium is on this machine: it is not brought by npm.
import { findProgram } from './program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export function chromiumPath(): string {
  const found = process.env.CAIRN_TEST_CHROMIUM || findProgram(NAMES);
  if (found !== undefined) return found;
  throw new Error(
    'Chromium is not on this machine. Install it (Debian: apt-get install chromium), or set CAIRN_TEST_CHROMIUM to where it is.',
  );
}
