// The OAuth server, built on oidc-provider. Every authorization is asked for and is a session of its own.
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
import {
  BEGUN_IN,
  CLI_CLIENT_ID,
  GRANT_SECONDS,
  OAUTH_PATHS,
  OAUTH_SCOPES,
  REFRESH_SECONDS,
  RESOURCE_SCOPE,
  USER_CODE,
} from './oauth-terms.ts';

const MINUTE = 60;

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
  readonly signedInBy: (request: IncomingMessage) => { accountId: number; sessionId: string } | undefined;
}

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
    // The validator sees the whole metadata, which is all that is known of a client when a page shows its host.
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
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { policy: policyOf(parts), url: (_ctx, { uid }) => `/auth/interaction/${uid}` },
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
  // The edge sets host and scheme from the public URL, so trusting the forwarded headers is safe.
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
      // The form itself confirms the typed code. Users compare it on the consent page (interaction.route.ts).
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
      return 'Enter the code that the device shows.';
    case 'NotFoundError':
      return 'This code does not exist. Compare it with the code on the device.';
    case 'ExpiredError':
    case 'AlreadyUsedError':
      return 'The code is used or expired. Start again on the device.';
    default:
      return 'The code was not accepted. Reload the page, and enter the code again.';
  }
}

function policyOf({ signedInBy }: OauthParts): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  const [login, consent] = [policy.get('login'), policy.get('consent')];
  if (login === undefined || consent === undefined)
    throw new Error('The OAuth library lacks the login or the consent prompt.');
  login.details = (ctx) => ({ [BEGUN_IN]: signedInBy(ctx.req)?.sessionId });
  consent.details = (ctx) => ({ [USER_CODE]: ctx.oidc.entities.DeviceCode?.userCode });
  login.checks.add(
    new Check('another_account', 'another account is signed in', 'login_required', (ctx) =>
      ctx.oidc.session?.accountId === String(signedInBy(ctx.req)?.accountId)
        ? Check.NO_NEED_TO_PROMPT
        : Check.REQUEST_PROMPT,
    ),
  );
  return policy;
}

/** The server's memory of an earlier user must not apply to the current one. */
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

/** The underlying framework would answer an escaped error without the headers that all other answers have. */
async function answerFaults(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    // The library fails if a browser without its cookie sends a code. The page itself sets the cookie.
    if (isCodeSentWithoutCookie(ctx)) {
      ctx.status = 303;
      ctx.redirect(OAUTH_PATHS.code_verification);
      return;
    }
    ctx.status = 500;
    ctx.body = {
      error: 'server_error',
      error_description: 'The server failed. Its log has the reason.',
    };
    ctx.app.emit('error', error, ctx);
  }
}

/** Anyone can register a client, so a redirect before the user has decided would be an open redirector. */
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

/** The library would list all modes that it knows, and clients choose from that list. */
async function describeModes(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'discovery') Object.assign(ctx.body as object, { response_modes_supported: ['query'] });
}

function compareHashedSecrets({ Client }: Provider): void {
  const compare = Client.prototype.compareClientSecret;
  Client.prototype.compareClientSecret = function compareHash(given: string) {
    return compare.call(this, hashCode(given));
  };
}

const DOCUMENT_BYTES_MAX = 64 * 1_024;

/** Clients choose the addresses of their metadata, so the fetch uses the client that reaches public addresses only. */
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
