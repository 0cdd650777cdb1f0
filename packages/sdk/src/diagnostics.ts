import type { Capabilities } from '@cairn/protocol/account';
import type { Call, CallOptions } from './transport.ts';

/**
 * The server itself.
 *
 * @example
 * const { version, engine } = await client.diagnostics.capabilities();
 */
export interface DiagnosticsSurface {
  /** Version, engine, formats and limits of the server. */
  capabilities(options?: CallOptions): Promise<Capabilities>;
}

export function diagnosticsSurface(call: Call): DiagnosticsSurface {
  return { capabilities: (options) => call('diagnostics.capabilities', { ...options }) };
}
