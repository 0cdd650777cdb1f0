// Messages are sentences, also those that are put together.

/** With a full stop at its end, and no second one where it brings its own. */
export function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
