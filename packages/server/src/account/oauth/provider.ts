// The OAuth server: what it offers and to whom. The protocol is oidc-provider's; what is ours are the store, the pages, who
// is signed in, and that every authorization is asked for and is a session of its own.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Provider, { type Configuration, errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { Outbound } from '../../action/delivery/client.ts';
import { hashCode } from '../../keys/secret.ts';
import { SESSION_TOKEN_SECONDS } from '../../keys/session-jwt.ts';
import { type SigningKeys, toJwk } from '../../keys/signing-keys.ts';
import type { Store } from '../../store.ts';
import { findAccountHolder } from '../account.sql.ts';
import { StoreAdapter } from './adapter.ts';
import { checkClient } from './client-policy.ts';

// What the OAuth server offers, and where. Apart from the server itself, which is loaded when somebody comes for it.

export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device-authorization',
  code_verification: '/oauth/device',
  jwks: '/.well-known/jwks.json',
} as const;
export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const OAUTH_SCOPES = ['openid', 'offline_access', 'cairn'] as const;
/** The one that gives anything. */
export const RESOURCE_SCOPE = 'cairn';
/** Ours, and known to everyone. */
export const CLI_CLIENT_ID = 'cairn-cli';

const DAY = 86_400;
/** Then somebody has to sign in and consent again, however busy the client was. */
export const GRANT_SECONDS = 365 * DAY;
export const REFRESH_SECONDS = 30 * DAY;

/** In the details of a prompt to sign in: the session of the browser as it came, if it had one. */
export const BEGUN_IN = 'begunIn';
/** In those of a prompt to consent: the code that the device shows, if it is one. */
export const USER_CODE = 'userCode';

const MINUTE = 60;

/** Of a browser in which somebody is signed in. */
export interface Visit {
  readonly accountId: number;
  readonly sessionId: string;
}

/** What people see. */
export interface OauthPages {
  askForCode(ctx: KoaContextWithOIDC, given: { userCode: string | undefined; problem: string | undefined }): void;
  deviceDone(ctx: KoaContextWithOIDC): void;
  problem(ctx: KoaContextWithOIDC, said: { error: string; description: string }): void;
}

export interface OauthParts {
  readonly store: Store;
  readonly outbound: Outbound;
  readonly publicUrl: string;
  readonly signingKeys: SigningKeys;
  readonly cookies: Pick<NonNullable<Configuration['cookies']>, 'keys' | 'names' | 'long' | 'short'>;
  readonly pages: OauthPages;
  /** Whose browser a request comes from. */
  readonly signedInBy: (request: IncomingMessage) => Visit | undefined;
}

/** With the keys as they are now: when they change, another takes its place. */
export function createProvider(parts: OauthParts): Provider {
  const { store, publicUrl, signingKeys, outbound } = parts;
  const provider = new Provider(publicUrl, {
    adapter: (kind: string) => new StoreAdapter(store, kind),
    jwks: { keys: signingKeys.verifying().map(toJwk) as never },
    cookies: parts.cookies,
    routes: { ...OAUTH_PATHS },
    scopes: [...OAUTH_SCOPES],
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'EdDSA',
      response_types: ['code'],
      response_modes: ['query'],
      token_endpoint_auth_method: 'none',
    },
    clients: [CLI_CLIENT],
    claims: { openid: ['sub'] },
    // It is the client's host that a page is shown for, and what it registered is all that is known of it.
    extraClientMetadata: {
      properties: ['redirect_policy'],
      validator: (_ctx, _key, _value, metadata) => checkClient(metadata),
    },
    discovery: { service_documentation: `${publicUrl}/docs/api` },
    features: features(parts),
    fetch: fetchBy(outbound) as never,
    findAccount: async (_ctx, sub) => {
      const account = await findAccountHolder(store.database, Number(sub));
      return account && { accountId: sub, claims: async () => ({ sub }) };
    },
    extraTokenClaims: (_ctx, token) => ({ sid: 'grantId' in token ? token.grantId : undefined }),
    // None that is there: every authorization is asked for, and ends for itself.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: {
      policy: policyOf(parts),
      url: (_ctx, { uid }) => `/auth/interaction/${uid}`,
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    revokeGrantPolicy: () => true,
    renderError: async (ctx, { error, error_description: description = '' }) =>
      parts.pages.problem(ctx, { error, description }),
    ttl: {
      AccessToken: SESSION_TOKEN_SECONDS,
      AuthorizationCode: MINUTE,
      DeviceCode: 15 * MINUTE,
      Grant: GRANT_SECONDS,
      IdToken: SESSION_TOKEN_SECONDS,
      Interaction: 60 * MINUTE,
      RefreshToken: REFRESH_SECONDS,
      Session: 60 * MINUTE,
    },
  });
  // Every address is made from the public URL: what a request says of host and scheme is set before it comes here.
  provider.proxy = true;
  compareHashedSecrets(provider);
  forgetOthers(provider, parts);
  provider.use(answerFaults);
  provider.use(staysUntilDecided(parts));
  provider.use(describeModes);
  return provider;
}

const CLI_CLIENT = {
  client_id: CLI_CLIENT_ID,
  client_name: 'Cairn CLI',
  grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  response_types: [],
  redirect_uris: [],
};

function features({ publicUrl, pages }: OauthParts): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: async (ctx, _form, out, error) =>
        pages.askForCode(ctx, {
          userCode: error && 'userCode' in error ? String(error.userCode ?? '') : undefined,
          problem: problemOfCode(out, error),
        }),
      // Our form confirms what is typed: the code is compared where people decide (interaction.ts).
      userCodeConfirmSource: async (ctx, _form, _client, _device, userCode) =>
        pages.askForCode(ctx, { userCode, problem: undefined }),
      successSource: async (ctx) => pages.deviceDone(ctx),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => publicUrl,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource) => {
        const audience = [publicUrl, `${publicUrl}/mcp`].find((known) => resource.replace(/\/$/, '') === known);
        if (audience === undefined) {
          throw new errors.InvalidTarget(`resource must be ${publicUrl} or ${publicUrl}/mcp`);
        }
        return {
          scope: RESOURCE_SCOPE,
          audience,
          accessTokenTTL: SESSION_TOKEN_SECONDS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA' } },
        };
      },
    },
  };
}

function problemOfCode(out: unknown, error: unknown): string | undefined {
  if (error === undefined && out === undefined) return undefined;
  const name = error instanceof Error ? error.name : '';
  switch (name) {
    case 'NoCodeError':
      return 'Type the code that the device shows.';
    case 'NotFoundError':
      return 'There is no such code. Compare it with what the device shows.';
    case 'ExpiredError':
    case 'AlreadyUsedError':
      return 'The code is used or expired. Begin anew on the device.';
    default:
      return 'That did not work. Load the page again, and type the code.';
  }
}

/** Who is signed in with the browser now decides, not who was when the OAuth server last looked. */
function policyOf({ signedInBy }: OauthParts): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const [login, consent] = [policy.get('login'), policy.get('consent')];
  if (login === undefined || consent === undefined) throw new Error('The OAuth server lacks a prompt that it had.');
  login.details = (ctx) => ({ [BEGUN_IN]: signedInBy(ctx.req)?.sessionId });
  consent.details = (ctx) => ({ [USER_CODE]: ctx.oidc.entities.DeviceCode?.userCode });
  login.checks.add(
    new Check('another_account', 'somebody else is signed in', 'login_required', (ctx) =>
      ctx.oidc.session?.accountId === String(signedInBy(ctx.req)?.accountId)
        ? Check.NO_NEED_TO_PROMPT
        : Check.REQUEST_PROMPT,
    ),
  );
  return policy;
}

/** What it remembers of somebody who is no longer signed in would be held against who is. */
function forgetOthers({ Session }: Provider, { signedInBy }: OauthParts): void {
  const get = Session.get;
  Session.get = async (ctx) => {
    const session = await get.call(Session, ctx);
    const { accountId } = session;
    if (accountId === undefined || accountId === String(signedInBy(ctx.req)?.accountId)) return session;
    const nobodys = { accountId: undefined, loginTs: undefined, authorizations: undefined, uid: randomUUID() };
    Object.assign(session, nobodys).resetIdentifier();
    return session;
  };
}

function isCodeSentWithoutCookie({ method, path, oidc }: KoaContextWithOIDC): boolean {
  const itself = method === 'GET' && path === OAUTH_PATHS.code_verification;
  const isNew = oidc?.session !== undefined && oidc.session.exp === undefined;
  return path.startsWith(OAUTH_PATHS.code_verification) && !itself && isNew;
}

/** What escapes the library would be answered by the framework below, without the headers that all our answers have. */
async function answerFaults(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    // It cannot refuse a code to a browser without its cookie, and fails. The page itself gives one.
    if (isCodeSentWithoutCookie(ctx)) {
      ctx.status = 303;
      ctx.redirect(OAUTH_PATHS.code_verification);
      return;
    }
    ctx.status = 500;
    ctx.body = {
      error: 'server_error',
      error_description: 'Something went wrong in the server. Its log has the reason.',
    };
    ctx.app.emit('error', error, ctx);
  }
}

/**
 * Shows errors on a page until the user has decided. Anyone can register a client, so redirecting earlier would make this
 * server an open redirector.
 */
function staysUntilDecided({ publicUrl, pages }: OauthParts) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const location = ctx.response.get('location');
    if (location === '' || !ctx.path.startsWith(OAUTH_PATHS.authorization)) return;
    const target = new URL(location, publicUrl);
    const { consent, error } = ctx.oidc?.entities.Interaction?.result ?? {};
    if (target.origin === new URL(publicUrl).origin || consent !== undefined || error !== undefined) return;
    const { searchParams } = target;
    ctx.remove('location');
    ctx.status = 400;
    const said = searchParams.get('error_description') ?? '';
    pages.problem(ctx, { error: searchParams.get('error') ?? 'invalid_request', description: said });
  };
}

/** It would name all that the library knows, and clients choose from it. */
async function describeModes(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'discovery') Object.assign(ctx.body as object, { response_modes_supported: ['query'] });
}

/** The store has the hashes alone. */
function compareHashedSecrets({ Client }: Provider): void {
  const compare = Client.prototype.compareClientSecret;
  Client.prototype.compareClientSecret = function compareHash(given: string) {
    return compare.call(this, hashCode(given));
  };
}

// How the OAuth server reads what clients publish of themselves: at addresses that others chose, so by the client that
// reaches public ones alone.

const DOCUMENT_BYTES_MAX = 64 * 1_024;

export function fetchBy(outbound: Outbound): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = Object.fromEntries(new Headers(init?.headers).entries());
    const answer = await outbound.send({
      method: 'GET',
      answerBytesMax: DOCUMENT_BYTES_MAX,
      signal: init?.signal ?? undefined,
      ...{ url, headers },
    });
    if (answer.kind === 'failure') throw new Error(answer.message);
    if (answer.truncated) throw new Error(`the document is larger than ${DOCUMENT_BYTES_MAX} bytes`);
    const { status, body } = answer;
    return new Response(status === 204 || status === 304 ? null : body, { status, headers: answer.headers });
  };
}
