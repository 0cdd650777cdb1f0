import type { SubscriptionTest } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { deliveryText } from './run.ts';

it.each<[Partial<SubscriptionTest>, string]>([
  [{ outcome: 'succeeded', httpStatus: 204 }, 'The receiver accepted the delivery.'],
  [{ outcome: 'accepted', httpStatus: 202 }, 'The receiver accepted the delivery.'],
  [{ httpStatus: 500, errorCode: 'HTTP_500' }, 'The receiver rejected the delivery with HTTP status 500.'],
  [{ errorCode: 'CREDENTIALS_UNBOUND' }, 'Nothing was sent.'],
  [{ errorCode: 'TARGET_REFUSED' }, 'Nothing was sent.'],
  [{ errorCode: 'NETWORK_ERROR' }, 'The receiver could not be reached.'],
  [{ errorCode: 'TIMEOUT' }, 'The receiver did not respond in time.'],
])('of %o it is said: %s', (test, text) => {
  expect(deliveryText({ outcome: 'failed', durationMs: 1, ...test })).toBe(text);
});
