// Rules for OAuth clients, checked against their own metadata when they register or first appear.
import { errors } from 'oidc-provider';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const METADATA_CHARACTERS_MAX = 8_000;
const REDIRECTS_MAX = 20;
const REDIRECT_CHARACTERS_MAX = 1_000;
const NAME_CHARACTERS_MAX = 100;
// A browser would run or show the content of these addresses.
const UNSAFE_SCHEMES: ReadonlySet<string> = new Set([
  ...['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'filesystem:', 'about:', 'view-source:', 'intent:'],
  ...['ws:', 'wss:', 'ftp:', 'mailto:', 'tel:'],
]);
/** Operating systems and browsers start built-in programs for these schemes. */
const SYSTEM_SCHEMES =
  /^(ms-(?!vscode)[\w.-]+|search(-ms)?|shell|hcp|mk|res|help|jar|jnlp|x-apple[\w.-]*|x-man-page|x-help-\w+|applescript|itms[\w-]*|market|android-app|package|apt|snap|steam|ssh|sftp|scp|telnet|rlogin|tn3270|smb|cifs|nfs|afp|dav|davs|vnc|rdp|teamviewer\w*|ldaps?|gopher|irc[s6]?|news|nntp|sips?|sms|mms|facetime[\w-]*|feed|webcal|chrome[\w-]*|edge|opera|resource|wyciwyg|content|cid|mid):$/;

interface ClientSays {
  readonly redirect_uris?: unknown;
  readonly client_name?: unknown;
}

export function checkClient(says: ClientSays): void {
  const { redirect_uris: redirects = [], client_name: name = '' } = says;
  // The metadata is stored for weeks, even if nobody ever uses the client.
  if (JSON.stringify(says).length > METADATA_CHARACTERS_MAX) {
    throw refuseClient(`the metadata must have at most ${METADATA_CHARACTERS_MAX} characters`);
  }
  if (typeof name !== 'string' || name.length > NAME_CHARACTERS_MAX || hasControls(name)) {
    throw refuseClient(`client_name must be at most ${NAME_CHARACTERS_MAX} characters, without control characters`);
  }
  if (!Array.isArray(redirects) || redirects.length > REDIRECTS_MAX) {
    throw refuseClient(`redirect_uris must be a list of at most ${REDIRECTS_MAX}`);
  }
  for (const redirect of redirects) checkRedirect(redirect);
}

function checkRedirect(redirect: unknown): void {
  const url = typeof redirect === 'string' ? URL.parse(redirect) : null;
  if (url === null || typeof redirect !== 'string') {
    throw refuseClient('redirect_uris must be addresses, such as https://app.example/callback');
  }
  const { protocol, hostname, username, password } = url;
  if (redirect.length > REDIRECT_CHARACTERS_MAX || hasControls(redirect))
    throw refuseClient('redirect_uris are too long');
  if (username !== '' || password !== '') throw refuseClient('redirect_uris must not contain a user name or password');
  if (UNSAFE_SCHEMES.has(protocol) || SYSTEM_SCHEMES.test(protocol))
    throw refuseClient(`redirect_uris must not start with ${protocol}`);
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) {
    throw refuseClient('redirect_uris must start with https://, except for the local machine');
  }
}

function hasControls(text: string): boolean {
  return /\p{C}/u.test(text);
}

function refuseClient(reason: string): Error {
  return new errors.InvalidClientMetadata(reason);
}
