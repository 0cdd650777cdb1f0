// Generated in the browser: only the server and the receiver ever know it.
const SECRET_BYTES = 32;

/** Standard Webhooks: `whsec_` and base64. */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
