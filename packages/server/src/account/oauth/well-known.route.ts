// What clients learn before they sign in: which server to ask for tokens, for all of this one or for its tools alone
// (RFC 9728).

import { answerJson } from '../../http/answer.ts';
import type { RouteHandler } from '../../http/env.ts';
import { OAUTH_SCOPES } from './offer.ts';

const HOUR = { 'cache-control': 'public, max-age=3600' };

function describing(path: '' | '/mcp', name: string): RouteHandler {
  return (c) => {
    const { publicUrl } = c.get('deps').settings;
    const described = {
      resource: `${publicUrl}${path}`,
      authorization_servers: [publicUrl],
      bearer_methods_supported: ['header'],
      scopes_supported: [...OAUTH_SCOPES],
      resource_name: name,
      resource_documentation: `${publicUrl}/docs/api`,
    };
    return answerJson(c, described, { headers: HOUR });
  };
}

export const protectedResource = describing('', 'Cairn');
export const protectedTools = describing('/mcp', 'Cairn tools for agents');
