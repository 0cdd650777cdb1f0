// Everything that users of the SDK import. Runs on Node, Bun, Deno and in browsers: fetch only.
export { CairnError, ERRORS, type ErrorCode, type ErrorFields } from '@cairn/protocol/errors';
export type { Capabilities, Repository, Whoami } from '@cairn/protocol/procedures';
export { type AuthSurface, CairnClient, type DiagnosticsSurface, type RepoSurface } from './client.ts';
export { isRetryable } from './retry.ts';
export type { TransportOptions } from './transport.ts';
