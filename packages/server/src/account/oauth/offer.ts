// What the OAuth server offers, and where. Apart from the server itself, which is loaded when somebody comes for it.
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
/** The one that gives anything. */
export const RESOURCE_SCOPE = 'cairn';
/** Ours, and known to everyone. */
export const CLI_CLIENT_ID = 'cairn-cli';

const DAY = 86_400;
/** Then somebody has to sign in and consent again, however busy the client was. */
export const GRANT_SECONDS = 365 * DAY;
export const REFRESH_SECONDS = 30 * DAY;

/** In the details of a prompt to sign in: the session of the browser as it came, if it had one. */
export const BEGUN_IN = 'begunIn';
/** In those of a prompt to consent: the code that the device shows, if it is one. */
export const USER_CODE = 'userCode';
