// `cairn auth login` in this process, with a person who authorizes the command.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceCode } from '../../packages/cli/src/oauth.ts';
import type { Profile, Profiles } from '../../packages/cli/src/profile-file.ts';
import type { SessionTokens } from '../../packages/sdk/src/index.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { Browser } from './browser.ts';
import { type CommandRun, cairn } from './cli.ts';
import { createPerson } from './person.ts';
import { OWNER, startTestServer, testFolder } from './server.ts';

export async function letIn(code: Pick<DeviceCode, 'verificationUriComplete'>): Promise<void> {
  const browser = new Browser();
  const entry = await browser.open(code.verificationUriComplete);
  const signIn = await browser.submit(entry);
  const consent = await browser.submit(signIn, { email: OWNER.email, password: OWNER.password });
  const done = await browser.submit(consent, { decision: 'allow' });
  if (!done.text.includes('The device is connected')) throw new Error(`not let in: ${done.text}`);
}

export interface SignedIn {
  readonly url: string;
  readonly environment: Record<string, string>;
  readonly run: (...args: string[]) => Promise<CommandRun>;
  /** Signs in as `login` does, but without its pauses. */
  readonly signIn: () => Promise<void>;
  readonly login: (...args: string[]) => Promise<CommandRun>;
  readonly profile: (change?: (profile: Profile) => Profile) => Profile;
}

interface DeviceAnswer {
  readonly device_code: string;
  readonly verification_uri_complete: string;
}

interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** Starts a session of the command on a server. */
export async function beginSession(url: string): Promise<SessionTokens> {
  const client = { client_id: 'cairn-cli', resource: url };
  const post = async (path: string, form: Record<string, string>) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ ...client, ...form }) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return await answer.json();
  };
  const asked = await post('/oauth/device-authorization', { scope: 'openid offline_access cairn' });
  const { device_code, verification_uri_complete } = asked as DeviceAnswer;
  await letIn({ verificationUriComplete: verification_uri_complete });
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const { access_token, refresh_token, expires_in } = (await post('/oauth/token', {
    grant_type,
    device_code,
  })) as TokenAnswer;
  const expiresAt = Date.now() + expires_in * 1_000;
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt };
}

export async function openSignedIn(engine: Engine): Promise<SignedIn> {
  const { url, store } = await startTestServer(engine);
  await createPerson(store, { ...OWNER, operator: true });
  const file = join(testFolder(), 'profiles.json');
  const environment = { CAIRN_CONFIG: file };
  const run = (...args: string[]) => cairn(args, environment);
  const login = async (...args: string[]) => {
    let shown: Promise<void> | undefined;
    const onError = (text: string) => {
      shown ??= letIn(JSON.parse(text));
    };
    const ran = await cairn(['--json', '--url', url, 'auth', 'login', ...args], environment, '', undefined, onError);
    await shown;
    return ran;
  };
  const signIn = async () => {
    const found: Profile = { url, handle: OWNER.name, session: await beginSession(url) };
    writeFileSync(file, JSON.stringify({ current: 'default', profiles: { default: found } }));
  };
  const profile = (change?: (profile: Profile) => Profile): Profile => {
    const profiles: Profiles = JSON.parse(readFileSync(file, 'utf8'));
    const [[name, found] = []] = Object.entries(profiles.profiles);
    if (name === undefined || found === undefined) throw new Error('nobody is signed in');
    if (change === undefined) return found;
    const changed = change(found);
    writeFileSync(file, JSON.stringify({ ...profiles, profiles: { ...profiles.profiles, [name]: changed } }));
    return changed;
  };
  return { url, environment, run, signIn, login, profile };
}
