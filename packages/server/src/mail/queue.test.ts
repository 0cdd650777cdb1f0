// Mails to a real SMTP server. Failures are logged without secrets.
import { createServer } from 'node:net';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../../../test/support/receiver-certificate.ts';
import { startSmtp } from '../../../../test/tools/smtp.ts';
import { createMailQueue, type MailOrder, parseSender, parseSmtpUrl } from './mail.ts';
import { createSmtp } from './smtp.ts';

const CODE = 'a-code-that-is-secret';
const ORDER: MailOrder = {
  about: 'reset',
  to: 'bob@example.com',
  write: () => ({ subject: 'A link', text: `https://cairn.example/auth/reset?code=${CODE}\n` }),
};

interface Opened {
  readonly url: string;
  readonly allow?: (to: string) => Promise<boolean>;
  readonly drainMs?: number;
}

function openQueue({ url, allow = async () => true, drainMs = 10_000 }: Opened) {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const send = createSmtp(parseSmtpUrl(url), parseSender('cairn@example.com'));
  return { logged, queue: createMailQueue({ send, allow, log, drainMs }) };
}

async function attempt(opened: Opened) {
  const { queue, logged } = openQueue(opened);
  queue.add(ORDER);
  await queue.close();
  expect(JSON.stringify(logged)).not.toContain(CODE);
  return logged;
}

describe('a mail', () => {
  it('is handed over as plain text, to its one recipient', async () => {
    const smtp = await startSmtp();
    const { queue, logged } = openQueue({ url: smtp.settings.CAIRN_SMTP_URL ?? '' });
    queue.add(ORDER);
    const mail = await smtp.next();
    expect(mail).toMatchObject({ from: 'cairn@example.com', to: ['bob@example.com'] });
    expect(mail.text).toBe(`https://cairn.example/auth/reset?code=${CODE}\n`);
    expect(mail.headers).toMatch(/^From: Cairn <cairn@example\.com>\r$/m);
    expect(mail.headers).toMatch(/^Content-Type: text\/plain/m);
    expect(mail.headers).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    await queue.close();
    expect(logged).toEqual([]);
  });

  it('cannot bring further recipients or headers', async () => {
    const smtp = await startSmtp();
    const { queue } = openQueue({ url: smtp.settings.CAIRN_SMTP_URL ?? '' });
    const subject = 'Hello\r\nBcc: eve@example.com';
    queue.add({ ...ORDER, write: () => ({ subject, text: 'Hello\r\n.\r\nRCPT TO:<eve@example.com>\n' }) });
    const mail = await smtp.next();
    expect(mail.to).toEqual(['bob@example.com']);
    expect(mail.headers).not.toMatch(/^Bcc:/im);
    await queue.close();
    expect(smtp.received).toHaveLength(1);
  });

  it('that there is nothing to say in is not sent', async () => {
    const smtp = await startSmtp();
    const { queue, logged } = openQueue({ url: smtp.settings.CAIRN_SMTP_URL ?? '' });
    queue.add({ ...ORDER, write: () => undefined });
    queue.add({ ...ORDER, write: () => Promise.reject(new Error('no database')) });
    await queue.close();
    expect(smtp.received).toEqual([]);
    expect(logged).toMatchObject([{ mail: 'reset', reason: 'no database' }]);
  });

  it('is sent with the password of the settings, which no log holds', async () => {
    const users: string[] = [];
    const smtp = await startSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => {
        users.push(`${username}:${password}`);
        if (password === 'right, this is') done(null, { user: username });
        else done(new Error(`who is ${username} with ${password}?`));
      },
    });
    const good = await attempt({ url: `smtp://ada:right%2C%20this%20is@127.0.0.1:${smtp.port}` });
    const bad = await attempt({ url: `smtp://ada:hunter2@127.0.0.1:${smtp.port}` });
    expect(users).toEqual(['ada:right, this is', 'ada:hunter2']);
    expect([smtp.received.length, good]).toEqual([1, []]);
    expect(bad).toMatchObject([{ mail: 'reset', code: 'EAUTH', status: 535 }]);
    expect(JSON.stringify(bad)).not.toContain('hunter2');
  });

  it('that is refused, or that nobody takes, is told to the log', async () => {
    const refusing = await startSmtp({
      onRcptTo: ({ address }, _, done) => done(new Error(`no ${address} here; said ${CODE}`)),
    });
    expect(await attempt({ url: `smtp://127.0.0.1:${refusing.port}` })).toMatchObject([
      { level: 50, mail: 'reset', code: 'EENVELOPE', msg: expect.stringContaining('Check CAIRN_SMTP_URL') },
    ]);
    const [unreachable] = await attempt({ url: `smtp://127.0.0.1:${await closedPort()}` });
    expect(unreachable).toMatchObject({ code: 'ESOCKET', reason: expect.stringContaining('ECONNREFUSED') });
  });

  it('goes to no server whose certificate is not good, nor without the TLS that was asked for', async () => {
    const tls = { key: RECEIVER_KEY, cert: RECEIVER_CERTIFICATE };
    const implicit = await startSmtp({ ...tls, secure: true });
    const [selfSigned] = await attempt({ url: `smtps://127.0.0.1:${implicit.port}` });
    expect(selfSigned).toMatchObject({ reason: expect.stringContaining('self-signed certificate') });
    const without = await startSmtp();
    // This spelling is not recognized as loopback, so it requires TLS.
    const [plain] = await attempt({ url: `smtp://[::ffff:127.0.0.1]:${without.port}` });
    expect(plain).toMatchObject({ code: expect.stringMatching(/ETLS|ESOCKET|EPROTOCOL/) });
    const upgraded = await startSmtp({ ...tls, disabledCommands: [] });
    const [starttls] = await attempt({ url: `smtp://[::ffff:127.0.0.1]:${upgraded.port}` });
    expect(starttls).toMatchObject({ code: expect.stringMatching(/ETLS|ESOCKET/) });
    expect([implicit, without, upgraded].flatMap(({ received }) => received)).toEqual([]);
  });

  it('is not sent to who had too many, and then not even written', async () => {
    const smtp = await startSmtp();
    const write = vi.fn(ORDER.write);
    const { queue, logged } = openQueue({ url: `smtp://127.0.0.1:${smtp.port}`, allow: async () => false });
    queue.add({ ...ORDER, write });
    await queue.close();
    expect(write).not.toHaveBeenCalled();
    expect(logged).toMatchObject([{ level: 40, msg: expect.stringContaining('too many within the hour') }]);
  });

  it('that waits is sent before the server stops, as long as that does not take too long', async () => {
    const smtp = await startSmtp();
    const { queue } = openQueue({ url: `smtp://127.0.0.1:${smtp.port}` });
    for (let n = 0; n < 10; n++) queue.add(ORDER);
    await queue.close();
    expect(smtp.received).toHaveLength(10);
    const silent = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const stuck = openQueue({ url: `smtp://127.0.0.1:${port}`, drainMs: 50 });
    for (let n = 0; n < 10; n++) stuck.queue.add(ORDER);
    await stuck.queue.close();
    stuck.queue.add(ORDER);
    expect(stuck.logged).toMatchObject([{ left: 10 }, { msg: expect.stringContaining('the server is stopping') }]);
  });

  it('is not kept when a thousand wait', async () => {
    const written = Promise.withResolvers<undefined>();
    const { queue, logged } = openQueue({ url: 'smtp://127.0.0.1:1' });
    for (let n = 0; n < 1_006; n++) queue.add({ ...ORDER, write: () => written.promise });
    expect(logged).toHaveLength(2);
    written.resolve(undefined);
    await queue.close();
  });
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise<void>((closed) => server.close(() => closed()));
  return port;
}
