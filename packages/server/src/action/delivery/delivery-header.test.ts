import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { deliveryHeaders, keysFor, problemOf, RIVALS, secretsOf } from './delivery-header.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const delivery = { id: 'run_1', at: new Date(), body: '{"a":1}' };
const headers = (values: Record<string, string>, target: 'webhook' | 'fallback' = 'webhook') =>
  deliveryHeaders(new Map(Object.entries(values)), target, delivery);

describe('headers of deliveries', () => {
  it('verify with the library of the standard, and with no byte changed', () => {
    const signed = headers({ WEBHOOK_SIGNING_SECRET: SECRET });
    const webhook = new Webhook(SECRET);
    expect(webhook.verify(delivery.body, signed)).toEqual({ a: 1 });
    expect(() => webhook.verify('{"a":2}', signed)).toThrow();
    expect(() => webhook.verify(delivery.body, { ...signed, 'webhook-id': 'run_2' })).toThrow();
    expect(() => new Webhook(Buffer.alloc(24, 8).toString('base64')).verify(delivery.body, signed)).toThrow();
  });

  it.each([
    [{ WEBHOOK_BEARER_TOKEN: 'abc' }, { authorization: 'Bearer abc' }],
    [{ WEBHOOK_API_KEY: 'abc' }, { 'x-api-key': 'abc' }],
    [{ WEBHOOK_API_KEY: 'abc', WEBHOOK_API_KEY_HEADER: 'X-Token' }, { 'x-token': 'abc' }],
    [{ WEBHOOK_API_KEY_HEADER: 'X-Token' }, {}],
    [
      { WEBHOOK_BASIC_USERNAME: 'ada', WEBHOOK_BASIC_PASSWORD: 'p:w' },
      { authorization: `Basic ${Buffer.from('ada:p:w').toString('base64')}` },
    ],
    [{ WEBHOOK_BASIC_USERNAME: 'ada' }, { authorization: `Basic ${Buffer.from('ada:').toString('base64')}` }],
    [{ FALLBACK_WEBHOOK_BEARER_TOKEN: 'abc', CLI_SIGNING_SECRET: 'x' }, {}],
  ])('of %o', (values, expected) => {
    expect(headers(values as Record<string, string>)).toEqual(expected);
  });

  it('for the fallback are made from its own keys alone', () => {
    const values = { WEBHOOK_BEARER_TOKEN: 'abc', FALLBACK_WEBHOOK_API_KEY: 'def', WEBHOOK_SIGNING_SECRET: SECRET };
    expect(headers(values, 'fallback')).toEqual({ 'x-api-key': 'def' });
    expect(keysFor('fallback')).toContain('FALLBACK_WEBHOOK_API_KEY');
  });
});

describe('values of keys', () => {
  it.each([
    ['WEBHOOK_SIGNING_SECRET', SECRET],
    ['FALLBACK_WEBHOOK_SIGNING_SECRET', Buffer.alloc(32).toString('base64')],
    ['WEBHOOK_API_KEY_HEADER', 'X-Token'],
    ['WEBHOOK_BEARER_TOKEN', 'a b'],
    ['ANYTHING', 'line\nline'],
  ])('of %s may be %j', (key, value) => {
    expect(problemOf(key, value)).toBeUndefined();
  });

  it.each([
    ['WEBHOOK_SIGNING_SECRET', 'a secret, not base64'],
    ['WEBHOOK_SIGNING_SECRET', 'whsec_'],
    ['WEBHOOK_SIGNING_SECRET', Buffer.alloc(23).toString('base64')],
    ['WEBHOOK_BEARER_TOKEN', 'secret\r\nx: y'],
    ['WEBHOOK_BEARER_TOKEN', ' a'],
    ['WEBHOOK_API_KEY', 'ü'],
    ['WEBHOOK_API_KEY_HEADER', 'a b'],
    ['WEBHOOK_API_KEY_HEADER', 'Host'],
    ['WEBHOOK_API_KEY_HEADER', 'authorization'],
    ['WEBHOOK_API_KEY_HEADER', 'Transfer-Encoding'],
    ['FALLBACK_WEBHOOK_API_KEY_HEADER', 'x-cairn-trace'],
    ['WEBHOOK_API_KEY_HEADER', 'webhook-signature'],
    ['WEBHOOK_BASIC_USERNAME', 'a:b'],
    ['WEBHOOK_SIGNING_SECRETS', SECRET],
    ['FALLBACK_BEARER_TOKEN', 'abc'],
  ])('of %s may not be %j', (key, value) => {
    const problem = problemOf(key, value);
    expect(problem).toBeTypeOf('string');
    if (/secret|abc/.test(value)) expect(problem).not.toContain(value);
  });

  it('that would both be Authorization are named', () => {
    expect(RIVALS).toContainEqual(['FALLBACK_WEBHOOK_BEARER_TOKEN', 'FALLBACK_WEBHOOK_BASIC_PASSWORD']);
  });

  it('are all secret, but for the name of a header', () => {
    const values = { WEBHOOK_API_KEY_HEADER: 'x-token', WEBHOOK_SIGNING_SECRET: SECRET, WEBHOOK_BASIC_USERNAME: 'ada' };
    const secrets = secretsOf(new Map(Object.entries(values)));
    expect(secrets).toEqual([SECRET, 'ada', SECRET.slice(6), Buffer.from('ada:').toString('base64')]);
  });
});
