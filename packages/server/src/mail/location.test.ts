import { describe, expect, it } from 'vitest';
import { parseSender, parseSmtpUrl } from './mail.ts';

describe('the URL of an SMTP server', () => {
  it.each([
    ['smtps://ada:p%40ss@mail.example.com', { host: 'mail.example.com', port: 465, tls: 'implicit' }],
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'starttls' }],
    ['smtp://mail.example.com:2525/', { port: 2525, tls: 'starttls' }],
    ['smtp://mail:25?tls=off', { host: 'mail', port: 25, tls: 'off' }],
    ['smtp://127.0.0.1:25', { tls: 'off' }],
    ['smtp://localhost:25', { tls: 'off' }],
    ['smtp://[::1]:25', { host: '::1', tls: 'off' }],
    ['smtp://127.example.com', { tls: 'starttls' }],
  ])('%s says where it is and how it is spoken to', (text, expected) => {
    expect(parseSmtpUrl(text)).toMatchObject(expected);
  });

  it('holds the credentials, decoded', () => {
    const { credentials } = parseSmtpUrl('smtps://ada%40example.com:p%40%2Fss@mail.example.com');
    expect(credentials).toEqual({ user: 'ada@example.com', password: 'p@/ss' });
    expect(parseSmtpUrl('smtp://mail.example.com').credentials).toBeUndefined();
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://mail.example.com/inbox',
    'smtp://mail.example.com?tls=maybe',
    'smtp://mail.example.com?rejectUnauthorized=false',
    'smtps://mail.example.com?tls=off',
    'smtp://ada:100%@mail.example.com',
  ])('%s is refused', (text) => {
    expect(() => parseSmtpUrl(text)).toThrow('takes a URL such as smtps://');
  });
});

describe('whom mails are from', () => {
  it.each([
    ['cairn@example.com', { name: 'Cairn', address: 'cairn@example.com' }],
    [' The Archive <a@example.com> ', { name: 'The Archive', address: 'a@example.com' }],
  ])('%s', (text, expected) => {
    expect(parseSender(text)).toEqual(expected);
  });

  it.each(['cairn', 'a@b, c@d', 'Cairn <a@b> c@d', 'Cairn\r\nBcc: eve@example.com <a@b>', 'a@b\r\nBcc: c@d'])(
    '%j is refused',
    (text) => {
      expect(() => parseSender(text)).toThrow('takes an address such as');
    },
  );
});
