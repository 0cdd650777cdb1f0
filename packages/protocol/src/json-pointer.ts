// JSON pointers (RFC 6901): how problems, indexes and filters name a place in data.

export function pointerTo(parent: string, token: string | number): string {
  if (typeof token === 'number' || !/[~/]/.test(token)) return `${parent}/${token}`;
  return `${parent}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The steps of a pointer; none for '', which names the whole. */
export function pointerTokens(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1);
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}
