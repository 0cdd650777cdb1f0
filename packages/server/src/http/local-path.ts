// Where somebody is led after they have signed in: a path of this server, whatever stood in the address.
const FORM = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
const NOWHERE = 'http://nowhere.invalid';

/** The path with its query; `undefined` for a text that could lead to another server. */
export function localPath(text: string | undefined): string | undefined {
  if (text === undefined || !FORM.test(text)) return undefined;
  const url = URL.parse(text, NOWHERE);
  return url?.origin === NOWHERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined;
}
