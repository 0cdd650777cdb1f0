// The Range header (RFC 9110, section 14): one range of bytes. Several at once, and what cannot be read, count as none, as
// they may.
export interface ByteRange {
  /** Both are included. */
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [matched, from, to = '', suffix] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (matched === undefined) return undefined;
  if (from === undefined) return suffixOf(Number(suffix), size);
  const [first, asked] = [Number(from), to === '' ? size - 1 : Number(to)];
  if (to !== '' && asked < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(asked, size - 1) };
}

function suffixOf(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - length), last: size - 1 };
}
