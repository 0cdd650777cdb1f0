// An OpenID provider on this machine, with real pages, tokens and keys, at which users of Cairn sign in. It can be made
// to lie, and still signs with its own key.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { type Adapter, type AdapterPayload, Provider } from 'oidc-provider';
import { onTestFinished } from 'vitest';
import type { Browser, Visited } from './browser.ts';

type Claims = Record<string, unknown>;
type Context = Parameters<Parameters<Provider['use']>[0]>[0];

/** False values that the provider gives instead of the true ones. */
export interface Lies {
  idToken?: (claims: JWTPayload) => JWTPayload;
  signature?: boolean;
}

export interface TestProvider {
  readonly issuer: string;
  readonly settings: Record<string, string>;
  /** Claims about people, by their login at the provider. */
  readonly people: Map<string, Claims>;
  readonly lies: Lies;
  serve(url: string): void;
  stop(): Promise<void>;
}

export const OTHER_CLIENT = { clientId: 'other', redirectUri: 'http://localhost/other' };
const CLIENT = { client_id: 'cairn', client_secret: 'a secret that both of them know' };

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const { privateKey: foreignKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export async function startTestProvider(): Promise<TestProvider> {
  let listener: RequestListener | undefined;
  const server = createServer((request, response) => listener?.(request, response) ?? response.destroy());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [people, lies]: [Map<string, Claims>, Lies] = [new Map(), {}];
  const stop = () => close(server);
  onTestFinished(stop);
  return {
    issuer,
    people,
    lies,
    settings: {
      CAIRN_OIDC_ISSUER: issuer,
      CAIRN_OIDC_CLIENT_ID: CLIENT.client_id,
      CAIRN_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      CAIRN_OIDC_NAME: 'Example',
    },
    serve: (url) => {
      listener = createProvider(issuer, { url, people, lies }).callback();
    },
    stop,
  };
}

interface Behaviour {
  readonly url: string;
  readonly people: ReadonlyMap<string, Claims>;
  readonly lies: Lies;
}

function createProvider(issuer: string, { url, people, lies }: Behaviour): Provider {
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'only', alg: 'RS256', use: 'sig' };
  const kept = new Map<string, AdapterPayload>();
  const provider = new Provider(issuer, {
    adapter: (model: string) => adapterOn(kept, model),
    clients: [
      { ...CLIENT, redirect_uris: [`${url}/auth/external/callback`] },
      {
        client_id: OTHER_CLIENT.clientId,
        token_endpoint_auth_method: 'none',
        redirect_uris: [OTHER_CLIENT.redirectUri],
        application_type: 'native',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
  });
  provider.use(async (context, next) => {
    if (context.path.startsWith('/interaction/')) return await interact(provider, context);
    await next();
    const { body } = context as { body: unknown };
    if (!isTokens(body) || (lies.idToken === undefined && !lies.signature)) return;
    const signer = lies.signature ? foreignKey : privateKey;
    const claims = lies.idToken?.(decodeJwt(body.id_token)) ?? decodeJwt(body.id_token);
    body.id_token = await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'only' }).sign(signer);
  });
  return provider;
}

/** Its only page: a person enters any login, which is accepted, and consents. */
async function interact(provider: Provider, context: Context): Promise<void> {
  const { req, res } = context;
  if (context.method === 'GET') {
    context.type = 'html';
    context.body = `<form method="post" action="${context.path}"><input name="login"></form>`;
    return;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of req) chunks.push(chunk);
  const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('login') ?? '';
  const { params } = await provider.interactionDetails(req, res);
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addOIDCScope('openid email');
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  context.redirect(await provider.interactionResult(req, res, result));
}

function adapterOn(kept: Map<string, AdapterPayload>, model: string): Adapter {
  const find = async (id: string) => kept.get(`${model} ${id}`);
  return {
    find,
    findByUid: async (uid) => [...kept.values()].find((one) => one.uid === uid),
    findByUserCode: async () => undefined,
    upsert: async (id, payload) => {
      kept.set(`${model} ${id}`, payload);
    },
    consume: async (id) => {
      Object.assign((await find(id)) ?? {}, { consumed: Math.floor(Date.now() / 1_000) });
    },
    destroy: async (id) => {
      kept.delete(`${model} ${id}`);
    },
    revokeByGrantId: async (grantId) => {
      for (const [key, one] of kept) if (one.grantId === grantId) kept.delete(key);
    },
  };
}

function isTokens(body: unknown): body is { id_token: string } {
  return typeof body === 'object' && body !== null && 'id_token' in body && typeof body.id_token === 'string';
}

export async function signInAtProvider(browser: Browser, page: Visited, login: string): Promise<Visited> {
  return page.url.includes('/interaction/') ? await browser.submit(page, { login }) : page;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}
