// Hands a mail to the SMTP server of the settings.
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
      // Addresses as they are, not to be read as a list of several.
      to: { name: '', address: to },
      envelope: { from: from.address, to: [to] },
      subject,
      text,
      // Out-of-office notes and the like are for people.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  };
}

/** Its code is loaded with the first mail: many servers send none. */
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
    // Nothing of a mail comes from elsewhere, whatever its text looks like.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
