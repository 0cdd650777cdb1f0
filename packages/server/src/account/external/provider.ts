// An OpenID provider that people sign in at, beside passwords. The operator names it, so that its address may be any.
import type { OpenIdSignIn } from './openid.ts';

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
