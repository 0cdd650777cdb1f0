/** Of a link that somebody was sent, its one-time code; a code as it is. */
export function codeOf(given: string): string {
  return (URL.canParse(given) ? new URL(given).searchParams.get('code') : undefined) ?? given;
}
