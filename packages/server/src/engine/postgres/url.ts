// Where PostgreSQL is: one server, or a primary and its standbys, as `postgres://user@one:5432,two:5432/name`.

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const ROLE = 'target_session_attrs';
/** Both ask for the server that takes writes, which is the only one that is of use here. */
const ROLES = new Set([null, 'read-write', 'primary']);

/** As it is written, when it can be used. */
export function postgresUrl(text: string): string {
  const urls = serverUrls(text);
  if (urls.length === 0 || !urls.every(isUsable)) {
    throw new Error(
      'takes a URL such as postgres://user@host:5432/name, or postgres://user@one:5432,two:5432/name for a primary and its standbys',
    );
  }
  if (!ROLES.has(roleIn(text)))
    throw new Error(`takes a URL with ${ROLE}=read-write, or without it: the server writes`);
  return text;
}

/** One for each server, the same but for the host. */
export function serverUrls(text: string): string[] {
  const [, before = '', hosts, after = ''] = PARTS.exec(text) ?? [];
  return hosts?.split(',').map((host) => withoutRole(before + host + after)) ?? [];
}

/** How a server is called where its password must not be read. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

// The driver takes it for something else: with it, it refuses connections that only read, and takes a standby for a primary.
function withoutRole(text: string): string {
  const url = URL.parse(text);
  if (url === null || !url.searchParams.has(ROLE)) return text;
  url.searchParams.delete(ROLE);
  return url.href;
}

function roleIn(text: string): string | null {
  const [query = ''] = /\?[^#]*/.exec(text) ?? [];
  return new URLSearchParams(query).get(ROLE);
}

// The driver decodes user and password; a stray % would stop it with a message that nobody understands.
function isUsable(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}
