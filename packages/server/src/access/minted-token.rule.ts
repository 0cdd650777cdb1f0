// Which tokens a call of a component's setup endpoint carries.
import type { MINTED_TOKENS } from '@cairn/protocol/component-state';
import type { Manifest } from '@cairn/protocol/manifest';

export type MintedToken = (typeof MINTED_TOKENS)[number];

interface Minting {
  readonly setupUrl: string | undefined;
  /** As it was registered. */
  readonly mintedTokens: readonly MintedToken[] | undefined;
}

/** Those that were asked for, or those that the manifest has a use for; without an endpoint, none. */
export function mintedTokensOf({ setupUrl, mintedTokens }: Minting, manifest: Manifest): readonly MintedToken[] {
  if (setupUrl === undefined) return [];
  return (
    mintedTokens ?? [
      ...(leavesToSetup(manifest) ? (['setup'] as const) : []),
      ...(manifest.runtimeAccess === undefined ? [] : (['runtime'] as const)),
    ]
  );
}

function leavesToSetup({ shapes, credentials, subscriptions }: Manifest): boolean {
  return [...shapes, ...credentials, ...subscriptions].some(({ provisioning }) => provisioning === 'setup');
}
