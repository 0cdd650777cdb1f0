import type { Transporter } from 'nodemailer';
import type { Mail, Sender, SmtpLocation } from './mail.ts';

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

export type SendMail = (mail: Mail & { readonly to: string }) => Promise<void>;

export function createSmtp(location: SmtpLocation, from: Sender): SendMail {
  let opened: Promise<Transporter> | undefined;
  return async ({ to, subject, text }) => {
    opened ??= openTransport(location);
    const transport = await opened;
    await transport.sendMail({
      from,
      // An object keeps the address from being parsed as a list of several.
      to: { name: '', address: to },
      envelope: { from: from.address, to: [to] },
      subject,
      text,
      // Prevents out-of-office replies.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  };
}

/** Loads the library with the first mail, because many servers send none. */
async function openTransport({ host, port, tls, credentials }: SmtpLocation): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // The content of a mail must never make the library read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
