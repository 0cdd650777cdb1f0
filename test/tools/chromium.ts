// The browser of the tests. On Linux x64 the test tools include it as an archive; elsewhere an installed one is used.
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../support/program.ts';
import { toolPath } from './install.ts';

export type { Browser, BrowserContext, Download, Locator, Page, Request, Route } from 'playwright-core';

const ARGUMENTS = [
  // Graphs need WebGL, which is rendered in software here.
  '--enable-unsafe-swiftshader',
  // With few cores, more processes and threads only take turns. This saves a fifth of the CPU time.
  '--renderer-process-limit=1',
  '--in-process-gpu',
  '--js-flags=--single-threaded',
];
const INSTALLED = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const CACHE = toolPath('.cache');
const UNPACKED = join(CACHE, 'chromium');
/** Without this, pages have no monospace font and few scripts. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${toolPath('dejavu-fonts-ttf/ttf')}</dir>
  <dir>${join(UNPACKED, 'fonts')}</dir>
  <cachedir>${join(UNPACKED, 'fonts-cache')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

export async function launchChromium(): Promise<Browser> {
  const installed = process.env.CAIRN_TEST_CHROMIUM || (isPacked() ? undefined : findProgram(INSTALLED));
  if (installed !== undefined) return await chromium.launch({ executablePath: installed });
  if (!isPacked()) {
    throw new Error('No Chromium or Chrome was found. Install one, or set CAIRN_TEST_CHROMIUM to its path.');
  }
  await unpackChromium();
  // The archive includes libraries that minimal systems lack.
  const libraries = { LD_LIBRARY_PATH: join(UNPACKED, 'lib'), FONTCONFIG_PATH: UNPACKED };
  // Independent of the machine's language.
  const env = { ...process.env, ...libraries, LC_ALL: 'en_US.UTF-8' };
  return await chromium.launch({ executablePath: join(UNPACKED, 'chromium'), env, args: ARGUMENTS });
}

const isPacked = () => process.platform === 'linux' && process.arch === 'x64';

/** Does nothing if it is unpacked already or if an installed browser is used. */
export async function unpackChromium(): Promise<void> {
  if (!isPacked() || process.env.CAIRN_TEST_CHROMIUM || existsSync(UNPACKED)) return;
  const packed = toolPath('@sparticuz/chromium/bin');
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'unpacking-'));
  await decompress(join(packed, 'chromium.br'), join(folder, 'chromium'), 0o755);
  for (const name of ['al2023', 'fonts', 'swiftshader']) await unpackArchive(packed, name, folder);
  await writeFile(join(folder, 'fonts.conf'), FONTS);
  // An atomic rename, so that an interrupted run leaves nothing half unpacked.
  renameSync(folder, UNPACKED);
}

async function decompress(from: string, to: string, mode = 0o644): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }));
}

async function unpackArchive(packed: string, name: string, folder: string): Promise<void> {
  const archive = join(folder, `${name}.tar`);
  await decompress(join(packed, `${name}.tar.br`), archive);
  const { status, stderr } = spawnSync('tar', ['-xf', archive, '--no-same-owner', '-C', folder]);
  if (status !== 0) throw new Error(`${name} of Chromium was not unpacked: ${stderr}`);
  rmSync(archive);
}
