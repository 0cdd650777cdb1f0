import { describe, expect, it } from 'vitest';
import { hostOf, postgresUrl, serverUrls } from './primary.ts';

describe('where PostgreSQL is', () => {
  it.each([
    ['postgres://cairn@one/name', ['postgres://cairn@one/name']],
    ['postgresql://cairn@one:5433/name?sslmode=require', ['postgresql://cairn@one:5433/name?sslmode=require']],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/name', ['postgres://%2Fvar%2Frun%2Fpostgresql/name']],
    [
      'postgres://cairn:a,b%40c@one:1,two:2/name?sslmode=require',
      ['postgres://cairn:a,b%40c@one:1/name?sslmode=require', 'postgres://cairn:a,b%40c@two:2/name?sslmode=require'],
    ],
    ['postgres://one,two,three', ['postgres://one', 'postgres://two', 'postgres://three']],
    [
      'postgres://one:1,two:2/name?target_session_attrs=read-write&sslmode=require',
      ['postgres://one:1/name?sslmode=require', 'postgres://two:2/name?sslmode=require'],
    ],
    ['postgres://one/name?target_session_attrs=primary', ['postgres://one/name']],
  ])('is read from %s', (text, urls) => {
    expect(postgresUrl(text)).toBe(text);
    expect(serverUrls(text)).toEqual(urls);
  });

  it.each([
    'mysql://one/name',
    'one:5432/name',
    'postgres://one:x/name',
    'postgres://one:1,two:x/name',
    'postgres://cairn:100%@one/name',
    'postgres://cairn:100%@one,two/name',
  ])('is refused as %s', (text) => {
    expect(() => postgresUrl(text)).toThrow('takes a URL such as postgres://user@host:5432/name, or');
  });

  it('is a server that writes', () => {
    const attempt = () => postgresUrl('postgres://one,two/name?target_session_attrs=prefer-standby');
    expect(attempt).toThrow('takes a URL with target_session_attrs=read-write or without');
  });

  it('is named without the password', () => {
    expect(hostOf('postgres://cairn:hunter2@one:5433/name')).toBe('one:5433');
  });
});
