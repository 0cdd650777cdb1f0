// An address of somebody's endpoint as it is shown: paths and queries of webhooks often hold secrets.

export function maskedOrigin(url: string): string {
  return `${new URL(url).origin}/***`;
}
