// Names that the pages and the OAuth server share, because the server is loaded only at its first request.
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device-authorization',
  code_verification: '/oauth/device',
  jwks: '/.well-known/jwks.json',
} as const;
export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const OAUTH_SCOPES = ['openid', 'offline_access', 'cairn'] as const;
export const RESOURCE_SCOPE = 'cairn';
export const CLI_CLIENT_ID = 'cairn-cli';

const DAY = 86_400;
/** After a year the user must sign in and consent again, however busy the client was. */
export const GRANT_SECONDS = 365 * DAY;
export const REFRESH_SECONDS = 30 * DAY;

/** Key in the details of a login prompt: the browser session at its start, if there was one. */
export const BEGUN_IN = 'begunIn';
/** Key in the details of a consent prompt: the code that the device shows, if it is one. */
export const USER_CODE = 'userCode';
