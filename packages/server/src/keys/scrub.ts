// Removes secrets from text of others, such as a webhook's answer that repeats what it was sent.

const MASK = '***';
const PART_CHARACTERS_MIN = 4;

export function createScrubber(secrets: readonly string[]): (text: string) => string {
  // Longest first, or the rest of a longer secret with the same beginning would stay.
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, MASK), withoutCutOff(text, forms));
}

const URL_PART_CHARACTERS_MIN = 16;
const PATH_CHARACTERS_MIN = 8;

export function secretsInUrl(text: string): string[] {
  const { pathname, search, searchParams } = new URL(text);
  const parts = [...pathname.split('/'), ...searchParams.values()];
  return [
    ...[pathname + search, pathname, search].filter(({ length }) => length >= PATH_CHARACTERS_MIN),
    ...parts.filter(({ length }) => length >= URL_PART_CHARACTERS_MIN),
  ];
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const [base64, hex] = [bytes.toString('base64'), bytes.toString('hex')];
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
  return [
    secret,
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    hex,
    hex.toUpperCase(),
    inJson,
    inJson.replaceAll('/', '\\/'),
    ...[inUrl, inForm].flatMap((encoded) => [encoded, encoded.replaceAll(/%../g, (code) => code.toLowerCase())]),
  ].filter((form) => form !== '');
}

/** A truncated text may end in the middle of a secret. */
function withoutCutOff(text: string, forms: readonly string[]): string {
  const starts = forms.map((form) => cutOffAt(text, form)).filter((start) => start !== undefined);
  return starts.length === 0 ? text : `${text.slice(0, Math.min(...starts))}${MASK}`;
}

function cutOffAt(text: string, form: string): number | undefined {
  const head = form.slice(0, PART_CHARACTERS_MIN);
  let start = text.indexOf(head, Math.max(0, text.length - form.length));
  while (start !== -1 && !form.startsWith(text.slice(start))) start = text.indexOf(head, start + 1);
  return start === -1 ? undefined : start;
}
