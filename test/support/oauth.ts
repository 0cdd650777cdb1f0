// A site with a signed-in person and clients of its OAuth server: the clients' requests and the person's steps.
import * as oauth from 'openid-client';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { RunningServer } from '../../packages/server/src/server.ts';
import { Browser, type Visited } from './browser.ts';
import { createPerson } from './person.ts';
import { OWNER, startTestServer } from './server.ts';

/** No server listens there. The address to which a browser is sent is enough. */
export const REDIRECT = 'http://127.0.0.1:9/callback';
export const CLIENT_NAME = 'Notes';
export const EVERY_SCOPE = 'openid offline_access cairn';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export async function openSite(engine: Engine, environment: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startTestServer(engine, environment);
  await createPerson(server.store, { ...OWNER, operator: true });
  return server;
}

export const newBrowser = () => new Browser({ stopsAt: /^http:\/\/127\.0\.0\.1:9\// });

export const INSECURE: oauth.DiscoveryRequestOptions = { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] };

export interface Registered extends Record<string, unknown> {
  readonly client_id: string;
  readonly client_secret?: string;
}

export async function registerClient(url: string, metadata: object = {}): Promise<Registered> {
  const answer = await postJson(`${url}/oauth/register`, {
    client_name: CLIENT_NAME,
    redirect_uris: [REDIRECT],
    ...metadata,
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${text}`);
  return JSON.parse(text);
}

export async function postJson(
  address: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
}

export async function postForm(
  address: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<Response> {
  return await fetch(address, { method: 'POST', headers, body: new URLSearchParams(fields) });
}

export async function pkce(): Promise<{ verifier: string; challenge: string }> {
  const verifier = oauth.randomPKCECodeVerifier();
  return { verifier, challenge: await oauth.calculatePKCECodeChallenge(verifier) };
}

type Parameters = Record<string, string | readonly string[] | undefined>;

export function authorizeUrl(url: string, parameters: Parameters): string {
  const address = new URL('/oauth/authorize', url);
  const all: Parameters = {
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: EVERY_SCOPE,
    code_challenge_method: 'S256',
    state: 'some-state',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) {
    for (const one of [value ?? []].flat()) address.searchParams.append(name, one);
  }
  return address.href;
}

/** Opens an address of the OAuth server and signs in if asked. Ends at the consent page or at the final redirect. */
export async function openSignedIn(browser: Browser, address: string, person: Person = OWNER): Promise<Visited> {
  const page = await browser.open(address);
  if (!page.url.includes('/auth/sign-in')) return page;
  const { email, password } = person;
  return await browser.submit(page, { email, password });
}

export interface Person {
  readonly email: string;
  readonly password: string;
}

export interface Authorized {
  readonly code: string;
  readonly verifier: string;
  readonly back: URL;
}

export async function authorize(
  { url, browser = newBrowser(), person }: { url: string; browser?: Browser; person?: Person },
  parameters: Parameters,
): Promise<Authorized> {
  const { verifier, challenge } = await pkce();
  const question = await openSignedIn(browser, authorizeUrl(url, { code_challenge: challenge, ...parameters }), person);
  const back = new URL((await browser.submit(question, { decision: 'allow' })).url);
  return { code: back.searchParams.get('code') ?? '', verifier, back };
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token?: string;
  readonly scope?: string;
}

interface Exchange {
  readonly client_id: string;
  readonly code: string;
  readonly verifier: string;
}

export async function exchange(
  url: string,
  { client_id, code, verifier }: Exchange,
  more: Record<string, string> = {},
): Promise<Response> {
  const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, client_id, code, code_verifier: verifier };
  return await postForm(`${url}/oauth/token`, { ...fields, ...more });
}

export async function connect(
  site: { url: string; browser?: Browser; person?: Person },
  parameters: Parameters = {},
): Promise<Tokens & { client_id: string }> {
  const { client_id } = await registerClient(site.url);
  const authorized = await authorize(site, { client_id, ...parameters });
  const answer = await exchange(site.url, { client_id, ...authorized });
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`);
  return { client_id, ...((await answer.json()) as Tokens) };
}

interface Refresh {
  readonly client_id: string;
  readonly refresh_token: string;
}

export async function refresh(
  url: string,
  { client_id, refresh_token }: Refresh,
  more: Record<string, string> = {},
): Promise<Response> {
  return await postForm(`${url}/oauth/token`, { grant_type: 'refresh_token', client_id, refresh_token, ...more });
}

export async function whoami(url: string, token: string): Promise<Response> {
  return await fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${token}` } });
}

export async function expectRefused(answer: Response, error: string, status = 400): Promise<void> {
  const text = await answer.text();
  if (answer.status !== status || JSON.parse(text).error !== error) {
    throw new Error(`expected ${status} ${error}, got ${answer.status} ${text}`);
  }
}

/** The payload of a JWT, without verification. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}
