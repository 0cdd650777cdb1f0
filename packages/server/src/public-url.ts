// Where clients reach a server, and where they make its first owner.
export function publicUrlOf({ publicUrl }: { readonly publicUrl: string | undefined }, port: number): string {
  return publicUrl ?? `http://localhost:${port}`;
}

/** `undefined` when there is no owner to make. */
export function setupLink(publicUrl: string, code: string | undefined): string | undefined {
  return code && `${publicUrl}/auth/setup?code=${code}`;
}
