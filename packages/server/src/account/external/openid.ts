// The OpenID provider. Its answers count only if they are signed for this server, this browser and this attempt.
import { fail } from '@cairn/protocol/errors';
import * as oidc from 'openid-client';
import type { ExternalChecks, ExternalPerson, ExternalProviderSettings } from './external-provider.ts';

const TIMEOUT_SECONDS = 10;
const KEPT_MS = 3_600_000;

export class OpenIdSignIn {
  readonly #settings: ExternalProviderSettings;
  readonly #redirectUri: string;
  #discovered: { configuration: Promise<oidc.Configuration>; until: number } | undefined;

  constructor(settings: ExternalProviderSettings, { redirectUri }: { redirectUri: string }) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
  }

  async begin(): Promise<{ address: string; checks: ExternalChecks }> {
    const configuration = await this.#discover();
    const verifier = oidc.randomPKCECodeVerifier();
    const checks = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, checks };
  }

  async finish(search: string, { state, nonce, verifier }: ExternalChecks): Promise<ExternalPerson> {
    const configuration = await this.#discover();
    const answer = new URL(`${this.#redirectUri}${search}`);
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return await this.#personOf(configuration, tokens);
    } catch (error) {
      throw isUnreachable(error) ? this.#unreachable(error) : this.#refused(error);
    }
  }

  async #personOf(
    configuration: oidc.Configuration,
    tokens: Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>,
  ): Promise<ExternalPerson> {
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the provider gave no ID token');
    const { iss: issuer, sub: subject } = claims;
    const asked = claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
    // Address and verification must come from the same source, or the verification says nothing about the address.
    const said = asked ? await oidc.fetchUserInfo(configuration, tokens.access_token, subject) : claims;
    const email = typeof said.email === 'string' ? said.email : undefined;
    return { issuer, subject, email, emailVerified: said.email_verified === true && keepsItsLetters(email) };
  }

  /** Discovery is lazy, so that the server starts without the provider. Concurrent sign-ins share one request. */
  async #discover(): Promise<oidc.Configuration> {
    if (this.#discovered === undefined || this.#discovered.until < performance.now()) {
      this.#discovered = { configuration: this.#request(), until: performance.now() + KEPT_MS };
    }
    try {
      return await this.#discovered.configuration;
    } catch (error) {
      this.#discovered = undefined;
      throw this.#unreachable(error);
    }
  }

  #request(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const insecure = new URL(issuer).protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(new URL(issuer), clientId, undefined, clientAuthentication(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      execute: [...insecure, oidc.enableNonRepudiationChecks],
    });
  }

  #unreachable(cause: unknown) {
    return fail('UNAVAILABLE', {
      message: `${this.#settings.name} cannot be reached, or gave an unexpected answer. Sign in with your password, or try again later.`,
      cause,
    });
  }

  #refused(cause: unknown) {
    const said = cause instanceof oidc.AuthorizationResponseError && /^[a-z_]{1,40}$/.test(cause.error);
    return fail('UNAUTHENTICATED', {
      message: said
        ? `${this.#settings.name} did not sign you in (${cause.error}). Start again, or sign in with your password.`
        : `The answer does not belong to this sign-in, or is not from ${this.#settings.name}. Start again.`,
      cause,
    });
  }
}

/** Some non-ASCII letters become ASCII in lower case, so a different address would count as verified. */
function keepsItsLetters(email = ''): boolean {
  return email.toLowerCase() === email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** By the specification, `client_secret_basic` is the default if the provider names no methods. */
function clientAuthentication(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = taken.includes('client_secret_basic') ? basic : post;
    authenticate(server, ...rest);
  };
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT';
}
