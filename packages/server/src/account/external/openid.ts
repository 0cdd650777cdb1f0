// How people are sent to an OpenID provider and come back. What it says is believed only as far as it is signed, for us, for
// this browser and for this one time.
import { fail } from '@cairn/protocol/errors';
import * as oidc from 'openid-client';

const TIMEOUT_SECONDS = 10;
/** For so long what the provider says of itself is kept: its keys and addresses change now and then. */
const KEPT_MS = 3_600_000;

interface Discovered {
  readonly configuration: Promise<oidc.Configuration>;
  readonly until: number;
}

export class OpenIdSignIn {
  readonly #settings: ExternalProviderSettings;
  readonly #redirectUri: string;
  #discovered: Discovered | undefined;

  constructor(settings: ExternalProviderSettings, { redirectUri }: { redirectUri: string }) {
    this.#settings = settings;
    this.#redirectUri = redirectUri;
  }

  /** Where the browser is sent, and what its answer is to be held against. */
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

  /** Who came back; `search` is the query that the provider sent them with. */
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
    // Both from one place: an address of one and a promise of the other would be worth nothing.
    const said = asked ? await oidc.fetchUserInfo(configuration, tokens.access_token, subject) : claims;
    const email = typeof said.email === 'string' ? said.email : undefined;
    return { issuer, subject, email, emailVerified: said.email_verified === true && keepsItsLetters(email) };
  }

  /** When it is first needed, so that the server starts without it; one request for all who come meanwhile. */
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
      // The signature too, not only the connection that a token came by.
      execute: [...insecure, oidc.enableNonRepudiationChecks],
    });
  }

  #unreachable(cause: unknown) {
    return fail('UNAVAILABLE', {
      message: `${this.#settings.name} cannot be reached right now, or does not answer as it should. Sign in with your password, or try again later.`,
      cause,
    });
  }

  #refused(cause: unknown) {
    const said = cause instanceof oidc.AuthorizationResponseError && /^[a-z_]{1,40}$/.test(cause.error);
    return fail('UNAUTHENTICATED', {
      message: said
        ? `${this.#settings.name} did not sign you in (${cause.error}). Begin again, or sign in with your password.`
        : `What ${this.#settings.name} answered does not belong to this sign-in, or is not from it. Begin again.`,
      cause,
    });
  }
}

/** Addresses are kept in small letters. Some that are none of ASCII become such: what was proven would be another address. */
function keepsItsLetters(email = ''): boolean {
  return email.toLowerCase() === email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** In the way that the provider takes; by the specification the first is what all take that do not say. */
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

// An OpenID provider that people sign in at, beside passwords. The operator names it, so that its address may be any.

export interface ExternalProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** What people know it by. */
  readonly name: string;
}

/** What an answer is held against. It stays with the browser that asked. */
export interface ExternalChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Who somebody is at the provider. */
export interface ExternalPerson {
  readonly issuer: string;
  /** The provider's own name for them, which it gives to nobody else. */
  readonly subject: string;
  readonly email: string | undefined;
  /** Whether the provider says that the address is theirs. */
  readonly emailVerified: boolean;
}

export class ExternalProvider {
  readonly name: string;
  readonly issuer: string;
  readonly #load: () => Promise<OpenIdSignIn>;

  constructor(settings: ExternalProviderSettings, { redirectUri }: { redirectUri: string }) {
    this.name = settings.name;
    this.issuer = settings.issuer;
    let loaded: Promise<OpenIdSignIn> | undefined;
    this.#load = () => {
      loaded ??= openSignIn(settings, redirectUri);
      return loaded;
    };
  }

  /** Where the browser is sent, and what its answer is to be held against. */
  async begin(): Promise<{ address: string; checks: ExternalChecks }> {
    return await (await this.#load()).begin();
  }

  /** Who came back; `search` is the query that the provider sent them with. */
  async finish(search: string, checks: ExternalChecks): Promise<ExternalPerson> {
    return await (await this.#load()).finish(search, checks);
  }
}

/** Its code is loaded with the first who signs in there. */
async function openSignIn(settings: ExternalProviderSettings, redirectUri: string): Promise<OpenIdSignIn> {
  const { OpenIdSignIn } = await import('./openid.ts');
  return new OpenIdSignIn(settings, { redirectUri });
}
