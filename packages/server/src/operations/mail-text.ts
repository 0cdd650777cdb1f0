// What the mails that the server writes have in common.

/** To the minute, in a form that reads the same everywhere. */
export function untilText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
