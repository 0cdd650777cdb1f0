// Name formats (organization, repository, checkpoint, shape, token, request id, email), and reserved names.

/** First path segments that the server or the explorer uses, and misleading names for an organization. */
export const RESERVED_ORGANIZATION_NAMES: ReadonlySet<string> = new Set([
  ...'api mcp sse trpc health metrics assets downloads auth oauth docs schemas'.split(' '),
  ...'admin billing blog help login public settings signup status support system www'.split(' '),
]);

export const ORGANIZATION_NAME = /^(?!-)[a-z0-9-]{1,39}(?<!-)$/;
export const REPOSITORY_NAME = /^(?!\.)[A-Za-z0-9._-]{1,100}$/;
export const CHECKPOINT_NAME = /^(?!\.)[A-Za-z0-9._-]{1,100}$/;
export const SHAPE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
export const RECORD_NAME_BYTES_MAX = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const REFUSED_IN_RECORD_NAME = /[\s\u0000-\u001f\u007f-\u009f?#@:$+*%\\]/u;
/** A record name has such parts, separated by slashes, after its shape. */
export const isRecordNamePart = (part: string): boolean =>
  part !== '' && part !== '.' && part !== '..' && !REFUSED_IN_RECORD_NAME.test(part);
/**
 * Two exceptions: a joiner shapes its neighbouring letters, and a variation selector shapes its emoji. All other
 * invisible characters make two names look alike.
 */
const MISLEADING_CHARACTER =
  /(?!(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L})|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cn}]/u;
/** The first character that no new name may hold, such as `U+202E`: it is invisible, or reverses the text around it. */
export function findMisleadingCharacter(name: string): string | undefined {
  const found = MISLEADING_CHARACTER.exec(name)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}
export const TOKEN_NAME = /^[A-Za-z0-9_-]{1,100}$/;
export const SUBSCRIPTION_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const CREDENTIAL_SET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Excludes separators of addresses in a mail header, and invisible characters: addresses are shown and get mail. */
export const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u;
export const EMAIL_CHARACTERS_MAX = 254;
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** One line. Some stores cannot hold control characters, which would also reach readers' terminals. */
export const PLAIN_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
