// Words for what becomes of an installed component. A plain table without zod, because the SDK and the CLI need it at run
// time.

/** What an install can be in, and what that means. */
export const INSTALL_STATES = {
  installing: 'Begun, and not at its end: run the install again.',
  ready: 'All that the manifest declares is there.',
  degraded: 'Something is missing or has failed: `component doctor` says what to do.',
  paused: 'Its tokens are refused, its subscriptions rest, its methods are not called.',
  error: 'What the manifest declares could not be written; nothing of it was.',
  uninstalled: 'Torn down. What was written stays.',
} as const;

/** How an installed component stands. */
export type InstallState = keyof typeof INSTALL_STATES;

/** What a doctor can find. */
export const FINDINGS = {
  missing: 'Something that the manifest declares is not there.',
  drifted: 'Something is there, and not as the manifest declares it.',
  'foreign-owned': 'Something that the manifest declares belongs to somebody else.',
  'credential-keys-unset': 'Keys that the manifest requires are not set.',
  'setup-pending': 'The setup endpoint was not called yet for this version.',
  'setup-failed': 'The setup endpoint did not complete.',
  'newer-version': 'A newer version is published.',
  unregistered: 'The component is not in the registry any more.',
} as const;

/** What kind of finding it is. */
export type FindingCode = keyof typeof FINDINGS;

/** Those that do not make an install degraded: it works as it was approved. */
export const ADVICE: readonly FindingCode[] = ['newer-version', 'unregistered'];

/** What a call of a setup endpoint can carry. */
export const MINTED_TOKENS = ['setup', 'runtime'] as const;
