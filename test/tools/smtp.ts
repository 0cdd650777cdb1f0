// A real SMTP server on this machine, which keeps received mail.
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished, vi } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: string;
  readonly text: string;
}

export interface TestSmtp {
  readonly port: number;
  readonly received: ReceivedMail[];
  readonly settings: Record<string, string>;
  next(): Promise<ReceivedMail>;
}

export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const received: ReceivedMail[] = [];
  let taken = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      text(stream).then((source) => {
        received.push(readMail(source, envelope));
        done();
      }, done);
    },
    ...options,
  });
  // A client that disconnects over a certificate is not an error of this server.
  server.on('error', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  const { port } = server.server.address() as AddressInfo;
  const settings = { CAIRN_SMTP_URL: `smtp://127.0.0.1:${port}`, CAIRN_MAIL_FROM: 'Cairn <cairn@example.com>' };
  const next = () => {
    const wanted = taken++;
    return vi.waitFor(() => received[wanted] ?? Promise.reject(new Error('no mail came')), { timeout: PATIENCE_MS });
  };
  return { port, received, settings, next };
}

type Envelope = Parameters<NonNullable<SMTPServerOptions['onData']>>[1]['envelope'];

function readMail(source: string, { mailFrom, rcptTo }: Envelope): ReceivedMail {
  const [headers = '', ...body] = source.split('\r\n\r\n');
  const written = body.join('\r\n\r\n');
  const quoted = /^content-transfer-encoding: quoted-printable/im.test(headers);
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    headers,
    text: (quoted ? unquoted(written) : written).replaceAll('\r\n', '\n'),
  };
}

function unquoted(written: string): string {
  return written
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

export function linkIn({ text }: ReceivedMail): URL {
  const [link = ''] = /https?:\/\/\S+\?code=\S+/.exec(text) ?? [];
  return new URL(link);
}
