// What deliveries are signed with, made in the browser, so that the only others who ever have it are the server and the receiver.
const SECRET_BYTES = 32;

/** As Standard Webhooks writes it: `whsec_` and base64. */
export function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
