// Servers for tests: an app without a port, a server on a real port, and whole processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import { findAccountByEmail } from '../../packages/server/src/account/account.sql.ts';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { createOutbound, type OutboundOptions } from '../../packages/server/src/action/delivery/client.ts';
import { DeliveryMeter } from '../../packages/server/src/action/delivery/delivery-verdict.ts';
import { type AppOptions, createApp } from '../../packages/server/src/app.ts';
import { blobLocation, docsFolder, readConfig, webFolder } from '../../packages/server/src/config.ts';
import type { Engine, StoreLocation } from '../../packages/server/src/engine/database.ts';
import { type BlobStore, openBlobStore } from '../../packages/server/src/export/blob-store.ts';
import { BodyRoom } from '../../packages/server/src/http/exchange.ts';
import { createMetrics } from '../../packages/server/src/http/metrics.ts';
import { createRateLimiter } from '../../packages/server/src/http/rate-limit.ts';
import { createTokenUses } from '../../packages/server/src/http/token-use.ts';
import { SigningKeys } from '../../packages/server/src/keys/signing-keys.ts';
import type { LivePace } from '../../packages/server/src/live/hub.ts';
import { createLive, type Live } from '../../packages/server/src/live/live.ts';
import {
  deriveKeys,
  downloadKey,
  openExternalProvider,
  openMail,
  type RunningServer,
  startServer,
} from '../../packages/server/src/server.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { type AppRequest, requestTo } from './app-request.ts';
import './person.ts';
import { TEST_SECRET, TEST_URL } from './principal.ts';
import { openTestStore, preparedLocation } from './store.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface TestApp {
  readonly app: { readonly request: AppRequest; readonly listener: RequestListener };
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly live: Live;
  readonly logged: Record<string, unknown>[];
}

/** `environment` holds settings, such as `{ CAIRN_CORS_ORIGINS: 'https://a.example' }`. */
export async function createTestApp(
  engine: Engine,
  environment: Record<string, string> = {},
  options: TestAppOptions = {},
): Promise<TestApp> {
  return createTestAppOn(await openTestStore(engine), environment, options);
}

interface TestAppOptions extends Partial<LivePace>, Pick<AppOptions, 'loadMcp'> {
  /** Time limit and name resolution of outgoing requests. */
  readonly outbound?: Pick<OutboundOptions, 'totalMs' | 'resolve'>;
}

export function createTestAppOn(
  store: Store,
  environment: Record<string, string> = {},
  { outbound: reaching, loadMcp, ...pace }: TestAppOptions = {},
): TestApp {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const config = readConfig([], { CAIRN_DATA: testFolder(), ...environment });
  const settings = { ...config, publicUrl: config.publicUrl ?? TEST_URL };
  const keys = deriveKeys(TEST_SECRET);
  const signingKeys = new SigningKeys({ reader: store.database, secret: TEST_SECRET });
  const blobs = openBlobStore(blobLocation(config), { key: downloadKey(TEST_SECRET), publicUrl: settings.publicUrl });
  const limiter = createRateLimiter({ usage: store.usage, limits: config.limits, log });
  onTestFinished(() => limiter.close());
  const mail = openMail(config, { limiter, log });
  if (mail !== undefined) onTestFinished(() => mail.close());
  const live = createLive(store, { onError: (err) => log.error({ err }, 'live'), pace });
  onTestFinished(() => live.close());
  const metrics = createMetrics({ store, live, meter: new DeliveryMeter() });
  const tokenUses = createTokenUses({ usage: store.usage, log });
  onTestFinished(() => tokenUses.close());
  const outbound = createOutbound({ allow: config.outboundAllow, ...reaching });
  const stopping = new AbortController().signal;
  const externalProvider = openExternalProvider(config, settings.publicUrl);
  const beside = { blobs, outbound, mail, externalProvider, webFolder: webFolder(), docsFolder: docsFolder() };
  const bodies = new BodyRoom(config.limits);
  const edge = { log, live, metrics, limiter, bodies, tokenUses, settings, keys, signingKeys, stopping };
  const listener = createApp({ ...edge, ...beside, store }, { checkOutput: true, ...(loadMcp && { loadMcp }) });
  return { app: { listener, request: requestTo(listener) }, store, blobs, live, logged };
}

export function openTestBlobs(): BlobStore {
  const location = { kind: 'folder', folder: testFolder() } as const;
  return openBlobStore(location, { key: downloadKey(TEST_SECRET), publicUrl: TEST_URL });
}

export async function startTestServer(
  engine: Engine,
  environment: Record<string, string> = {},
  options: AppOptions = {},
): Promise<RunningServer> {
  const config = readConfig([], { PORT: '0', ...settingsOf(await preparedLocation(engine)), ...environment });
  const server = await startServer(config, pino({ level: 'silent' }), { checkOutput: true, ...options });
  onTestFinished(() => server.stop());
  return server;
}

export function settingsOf(location: StoreLocation): Record<string, string> {
  if (location.engine === 'sqlite') return { CAIRN_DATA: dirname(location.file) };
  return { CAIRN_DATA: testFolder(), CAIRN_DATABASE_URL: location.url };
}

/** An empty folder that is removed after the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const OWNER = { email: 'ada@example.com', name: 'ada', password: 'correct horse battery' };

/** Creates the server's owner, and a token that may do everything. */
export async function createOwnerToken(store: Store): Promise<string> {
  // Written directly to the store, because hashing a password takes a tenth of a second.
  const { email, name } = OWNER;
  await store.write.createAccount({ email, handle: name, passwordHash: '-', operator: true });
  const { token } = await createToken(store, { email, name: 'all', scopes: EVERYTHING });
  return token;
}

export async function ownerIdOf({ database }: Store): Promise<number> {
  const owner = await findAccountByEmail(database, OWNER.email);
  if (owner === undefined) throw new Error('the server has no owner yet');
  return owner.id;
}

export interface TestProcess {
  readonly child: ChildProcess;
  output(): string;
  /** Waits for a match in the output. Fails with the output if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  ended(): Promise<{ code: number | null; signal: string | null }>;
}

/** Starts a process in the checkout with only the given settings. It ends with the test. */
export function startProcess(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
): TestProcess {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
      changed();
    });
  }
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) => {
    child.once('close', (code, signal) => {
      done({ code, signal });
      changed();
    });
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match === null && child.exitCode === null && child.signalCode === null) return;
          watchers.delete(look);
          if (match === null) reject(new Error(`ended without printing ${pattern}:\n${output}`));
          else resolve(match);
        };
        watchers.add(look);
        look();
      }),
    ended: () => ended,
  };
}

/**
 * The server as published. It runs on this Node, because an older Node would start it as a child, and a kill would hit
 * only the parent.
 */
export function startServerProcess(environment: Record<string, string>): TestProcess {
  return startProcess(process.execPath, ['run.mjs', join(inject('packages'), 'server/main.js')], environment);
}

export function startCairn(args: readonly string[], environment: Record<string, string>): TestProcess {
  return startProcess(process.execPath, [cairnFile(), ...args], environment);
}

export function cairnFile(): string {
  return join(inject('packages'), 'cli/cairn.mjs');
}

/**
 * A `PATH` that starts with the Node of the tests. An older Node would start this one again, which doubles the start
 * time.
 */
export const NODE_PATH = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;

function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('CAIRN_') && name !== 'PORT' && !name.startsWith('npm_') && !name.startsWith('VITEST'),
  );
  // The person who runs the tests may be signed in to a server.
  return {
    ...Object.fromEntries(entries),
    PATH: NODE_PATH,
    NODE_COMPILE_CACHE: join(inject('packages'), 'compiled'),
    CAIRN_CONFIG: join(tmpdir(), 'cairn-test-nobody', 'profiles.json'),
  };
}
