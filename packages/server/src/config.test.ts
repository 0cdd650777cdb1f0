import { DEFAULT_LIMITS } from '@cairn/protocol/limits';
import { describe, expect, it } from 'vitest';
import { ConfigError, helpText, readConfig } from './config.ts';
import { flagOf, SETTINGS } from './settings.ts';

describe('settings', () => {
  it('have defaults', () => {
    const config = readConfig([], {});
    expect(config).toMatchObject({ port: 8787, host: '127.0.0.1', corsOrigins: [], logLevel: 'info' });
    expect(config.limits).toEqual(DEFAULT_LIMITS);
    expect(config.limits.jsonBodyBytes).toBe(8_388_608);
    expect(config.publicUrl).toBeUndefined();
  });

  it('come from the environment, and flags win over it', () => {
    const config = readConfig(['--port', '1', '--public-url=https://c.example/'], {
      PORT: '2',
      CAIRN_LOG_LEVEL: 'warn',
    });
    expect(config).toMatchObject({ port: 1, logLevel: 'warn', publicUrl: 'https://c.example' });
  });

  it('name one PostgreSQL, or several', () => {
    const databaseUrl = 'postgres://cairn:x@one:5432,two:5432/cairn?target_session_attrs=read-write';
    expect(readConfig([], { CAIRN_DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl });
  });

  it('count as not given when empty', () => {
    expect(readConfig([], { PORT: '', CAIRN_DATABASE_URL: '' })).toMatchObject({ port: 8787, databaseUrl: undefined });
  });

  it.each<[string[], Record<string, string>, string]>([
    [['--port', 'x'], {}, '--port takes a whole number from 0 to 65535, not "x".'],
    [[], { PORT: '65536' }, 'PORT takes a whole number from 0 to 65535, not "65536".'],
    [[], { CAIRN_PUBLIC_URL: 'localhost' }, 'CAIRN_PUBLIC_URL takes an http or https URL'],
    [[], { CAIRN_DATABASE_URL: 'mysql://x' }, 'CAIRN_DATABASE_URL takes a URL such as postgres://'],
    [
      [],
      { CAIRN_DATABASE_URL: 'postgres://a,b/c?target_session_attrs=standby' },
      'CAIRN_DATABASE_URL takes a URL with target_session_attrs=read-write',
    ],
    [[], { CAIRN_CORS_ORIGINS: 'app.example' }, 'CAIRN_CORS_ORIGINS takes a comma-separated list of origins'],
    [[], { CAIRN_TRUSTED_PROXIES: 'proxy.local' }, 'CAIRN_TRUSTED_PROXIES takes a comma-separated list of addresses'],
    [[], { CAIRN_TRUSTED_PROXIES: '10.0.0.0/33' }, 'not "10.0.0.0/33".'],
    [[], { CAIRN_TRUSTED_PROXIES: '10.0.0.1,::1/129' }, 'not "10.0.0.1,::1/129".'],
    [[], { CAIRN_TRUSTED_PROXIES: '10.0.0.0/' }, 'not "10.0.0.0/".'],
    [[], { CAIRN_LOG_LEVEL: 'loud' }, 'CAIRN_LOG_LEVEL takes one of trace'],
    [[], { CAIRN_LIMIT_JSON_BODY_BYTES: '0' }, 'CAIRN_LIMIT_JSON_BODY_BYTES takes a whole number from 1'],
    [[], { CAIRN_SIGNUP: 'closed' }, 'CAIRN_SIGNUP takes one of invitation, open'],
    [[], { CAIRN_SMTP_URL: 'mail.example.com', CAIRN_MAIL_FROM: 'a@b' }, 'CAIRN_SMTP_URL takes a URL such as smtps://'],
    [[], { CAIRN_SMTP_URL: 'smtp://localhost' }, 'CAIRN_SMTP_URL and CAIRN_MAIL_FROM need each other'],
    [[], { CAIRN_OIDC_ISSUER: 'https://a.example' }, 'CAIRN_OIDC_ISSUER and CAIRN_OIDC_CLIENT_ID need each other'],
    [[], { CAIRN_OIDC_CLIENT_ID: 'cairn' }, 'CAIRN_OIDC_ISSUER and CAIRN_OIDC_CLIENT_ID need each other'],
    [[], { CAIRN_OIDC_ISSUER: 'a.example', CAIRN_OIDC_CLIENT_ID: 'cairn' }, 'CAIRN_OIDC_ISSUER takes an http'],
    [[], { CAIRN_MAIL_FROM: 'a@b' }, 'CAIRN_SMTP_URL and CAIRN_MAIL_FROM need each other'],
    [[], { CAIRN_PROT: '1' }, 'CAIRN_PROT is not a setting of Cairn.'],
    [['--prot', '1'], {}, "Unknown option '--prot'."],
    [['stray'], {}, "Unexpected argument 'stray'."],
    [['--database-url', 'postgres://x'], {}, "Unknown option '--database-url'."],
  ])('are refused in one clear line: %j %j', (args, environment, message) => {
    const attempt = () => readConfig(args, environment);
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/\n/);
  });

  it('never show a secret in a refusal', () => {
    expect(() => readConfig([], { CAIRN_SECRET: 'hunter2' })).toThrow('CAIRN_SECRET takes at least 32 characters');
    expect(() => readConfig([], { CAIRN_SECRET: 'hunter2' })).not.toThrow(/hunter2/);
    expect(() => readConfig([], { CAIRN_DATABASE_URL: 'x:hunter2' })).not.toThrow(/hunter2/);
    expect(() => readConfig([], { CAIRN_SMTP_URL: 'http://a:hunter2@b' })).not.toThrow(/hunter2/);
  });

  it('leave the variables of the SDK, the CLI and the tests alone', () => {
    const environment = { CAIRN_URL: 'x', CAIRN_TOKEN: 'x', CAIRN_REPO: 'x', CAIRN_TEST_POSTGRES_URL: 'x', OTHER: 'x' };
    expect(readConfig([], environment).port).toBe(8787);
  });

  it('are all in the help text', () => {
    for (const row of SETTINGS) {
      expect(helpText()).toContain(row.env);
      expect(helpText()).toContain(row.meaning);
      const flag = flagOf(row);
      if (flag !== undefined) expect(helpText()).toContain(`--${flag}`);
    }
  });
});
