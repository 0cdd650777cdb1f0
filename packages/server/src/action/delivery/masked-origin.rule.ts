// Shows only the origin of an endpoint, because paths and queries of webhooks often hold secrets.

export function maskedOrigin(url: string): string {
  return `${new URL(url).origin}/***`;
}
