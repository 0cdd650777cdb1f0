import { describe, expect, it } from 'vitest';
import { isUnreachable, translated } from './error.ts';

const failure = (code: string, message = 'it failed') => Object.assign(new Error(message), { code });

describe('an error of PostgreSQL', () => {
  it.each([
    ['08006', 'connection to the remote node 10.0.0.2:5432 failed'],
    ['08003', 'connection does not exist'],
    ['57P01', 'terminating connection due to administrator command'],
    ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
  ])('%s, %s, means that the database cannot be reached', (code, message) => {
    const error = failure(code, message);
    expect(isUnreachable(error)).toBe(true);
    expect(translated(error)).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 1, cause: error });
  });

  it.each([
    ['08P01', 'a message was not understood'],
    ['XX000', 'cache lookup failed for type 7'],
    ['23505', 'duplicate key'],
  ])('%s, %s, does not', (code, message) => {
    const error = failure(code, message);
    expect(isUnreachable(error)).toBe(false);
    expect(translated(error)).toBe(error);
  });
});
