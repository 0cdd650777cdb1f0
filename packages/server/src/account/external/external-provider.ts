// Settings of the external provider, and the answer of a sign-in with it.
import type { OpenIdSignIn } from './openid.ts';

export interface ExternalProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly name: string;
}

/** The values to verify the provider's answer with. They stay with the browser that started the sign-in. */
export interface ExternalChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface ExternalPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
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

  async begin(): Promise<{ address: string; checks: ExternalChecks }> {
    return await (await this.#load()).begin();
  }

  async finish(search: string, checks: ExternalChecks): Promise<ExternalPerson> {
    return await (await this.#load()).finish(search, checks);
  }
}

async function openSignIn(settings: ExternalProviderSettings, redirectUri: string): Promise<OpenIdSignIn> {
  const { OpenIdSignIn } = await import('./openid.ts');
  return new OpenIdSignIn(settings, { redirectUri });
}
