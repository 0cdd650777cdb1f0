/** Text that came from anywhere, without what PostgreSQL takes for no text. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
