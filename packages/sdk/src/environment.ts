// The environment, which is read here alone, and only when somebody asks for it. Browsers have none.
import { fail } from '@cairn/protocol/errors';

/** Where the server is and who asks, as the environment says it. An empty variable is one that is not set. */
export function readEnvironment(): { readonly url: string; readonly token?: string } {
  const { process } = globalThis as { readonly process?: { readonly env?: Record<string, string | undefined> } };
  const { CAIRN_URL: url, CAIRN_TOKEN: token } = process?.env ?? {};
  if (url) return { url, ...(token && { token }) };
  throw fail('VALIDATION_ERROR', {
    message: 'CAIRN_URL is not set. Set it to the address of a Cairn server, such as http://localhost:8787.',
  });
}
