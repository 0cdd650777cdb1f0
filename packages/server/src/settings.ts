// Every setting of the server. The `--help` text and docs/reference/settings.md are generated from this table.

import { BlockList, isIP } from 'node:net';
import { resolve } from 'node:path';
import { LIMITS, type LimitName } from '@cairn/protocol/limits';
import { postgresUrl } from './engine/postgres/primary.ts';
import { parseBlobSetting } from './export/blob-store.ts';
import { parseSender, parseSmtpUrl } from './mail/mail.ts';

const takes = (what: string) => new Error(`takes ${what}`);

function wholeNumber({ min, max }: { min: number; max: number }) {
  return (text: string) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) throw takes(`a whole number from ${min} to ${max}`);
    return value;
  };
}

function oneOf<Choice extends string>(...choices: Choice[]) {
  return (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw takes(`one of ${choices.join(', ')}`);
    return choice;
  };
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw takes('an http or https URL without query or credentials, such as https://cairn.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

/** Kept as written, because a slash at the end makes it a different issuer. */
function issuerUrl(text: string): string {
  httpUrl(text);
  return text;
}

function origins(text: string): string[] {
  const list = text.split(',').filter((part) => part !== '');
  for (const origin of list) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw takes('a comma-separated list of origins such as https://app.example.com, or *');
    }
  }
  return list;
}

function addressRanges(text: string): BlockList {
  const ranges = new BlockList();
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === 'loopback') {
      ranges.addSubnet('127.0.0.0', 8, 'ipv4');
      ranges.addAddress('::1', 'ipv6');
    } else if (part !== '') {
      const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
      const version = isIP(address);
      const bits = version === 4 ? 32 : 128;
      if (version === 0 || Number(prefix ?? bits) > bits) {
        throw takes(
          'a comma-separated list of addresses, ranges such as 10.0.0.0/8 or fd00::/8, and the word loopback',
        );
      }
      ranges.addSubnet(address, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6');
    }
  }
  return ranges;
}

function hostsAndPorts(text: string): string[] {
  const list = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim().toLowerCase()]));
  for (const part of list) {
    const [, port] = /^(?:\[[0-9a-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(part) ?? [];
    if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
      throw takes('a comma-separated list of host:port, such as hooks.internal:8080 or [fd00::1]:443');
    }
  }
  return list;
}

function seconds(text: string): number[] {
  const list = text.split(',').map((part) => part.trim());
  if (!list.every((part) => /^\d{1,7}$/.test(part)) || list.length > 50) {
    throw takes('up to 50 whole numbers of seconds, separated by commas');
  }
  return list.map(Number);
}

function longSecret(text: string): string {
  if (text.length < 32) throw takes('at least 32 characters; create one with `openssl rand -base64 32`');
  return text;
}

const text = (value: string) => value;

export interface Setting<Result> {
  readonly env: string;
  readonly default?: string;
  readonly parse: (text: string) => Result;
  readonly meaning: string;
  /** Secrets are refused as flags, because every user of the machine can read the command line. */
  readonly secret?: true;
}

export const BASE_SETTINGS = {
  port: {
    env: 'PORT',
    default: '8787',
    parse: wholeNumber({ min: 0, max: 65_535 }),
    meaning: 'TCP port to listen on; 0 chooses a free port.',
  },
  host: {
    env: 'CAIRN_HOST',
    default: '127.0.0.1',
    parse: text,
    meaning: 'Address to listen on; 0.0.0.0 for all addresses.',
  },
  reusePort: {
    env: 'CAIRN_REUSE_PORT',
    default: '0',
    parse: (text) => oneOf('0', '1')(text) === '1',
    meaning: 'With 1, several nodes on one PostgreSQL can listen on the same port; Linux distributes the connections.',
  },
  publicUrl: {
    env: 'CAIRN_PUBLIC_URL',
    parse: httpUrl,
    meaning:
      'URL where clients reach the server; the base of all absolute addresses. By default http://localhost:PORT.',
  },
  data: {
    env: 'CAIRN_DATA',
    default: './data',
    parse: (path) => resolve(path),
    meaning: 'Folder of the SQLite database and of the key file.',
  },
  blobs: {
    env: 'CAIRN_BLOBS',
    parse: parseBlobSetting,
    meaning:
      'Storage of export files: file:FOLDER, which all nodes must share, or s3://BUCKET/PREFIX?region=REGION&endpoint=URL for S3-compatible storage. By default the folder blobs in CAIRN_DATA.',
  },
  s3AccessKeyId: {
    env: 'CAIRN_S3_ACCESS_KEY_ID',
    parse: text,
    meaning: 'With CAIRN_BLOBS=s3:...: the id of an access key that can read, write and delete there.',
    secret: true,
  },
  s3SecretAccessKey: {
    env: 'CAIRN_S3_SECRET_ACCESS_KEY',
    parse: text,
    meaning: 'The secret of that access key.',
    secret: true,
  },
  databaseUrl: {
    env: 'CAIRN_DATABASE_URL',
    parse: postgresUrl,
    meaning:
      'PostgreSQL to use instead of SQLite: postgres://user:password@host:5432/name. Of several, as in postgres://user:password@one:5432,two:5432/name, the one that is the primary.',
    secret: true,
  },
  secret: {
    env: 'CAIRN_SECRET',
    parse: longSecret,
    meaning:
      'Secret from which all keys are derived; the same on every node. By default a key file in CAIRN_DATA, created at the first start.',
    secret: true,
  },
  ownerEmail: {
    env: 'CAIRN_OWNER_EMAIL',
    parse: text,
    meaning:
      'Email of the first owner. With CAIRN_OWNER_PASSWORD, the server creates the owner at start, without the set-up link.',
  },
  ownerPassword: {
    env: 'CAIRN_OWNER_PASSWORD',
    parse: text,
    meaning: 'Password of the first owner.',
    secret: true,
  },
  orgCreation: {
    env: 'CAIRN_ORG_CREATION',
    default: 'operators',
    parse: oneOf('operators', 'open'),
    meaning: 'With open, every account can create organizations; otherwise only operators of the server.',
  },
  signup: {
    env: 'CAIRN_SIGNUP',
    default: 'invitation',
    parse: oneOf('invitation', 'open'),
    meaning: 'With open, everyone can create an account; otherwise only invited people.',
  },
  smtpUrl: {
    env: 'CAIRN_SMTP_URL',
    parse: parseSmtpUrl,
    meaning:
      'With CAIRN_MAIL_FROM: the SMTP server for invitations, sign-ups and lost passwords. smtps://USER:PASSWORD@HOST:465, or smtp://USER:PASSWORD@HOST:587, which requires STARTTLS; add ?tls=off for a server without TLS.',
    secret: true,
  },
  mailFrom: {
    env: 'CAIRN_MAIL_FROM',
    parse: parseSender,
    meaning: 'Sender of mails: cairn@example.com or Cairn <cairn@example.com>.',
  },
  oidcIssuer: {
    env: 'CAIRN_OIDC_ISSUER',
    parse: issuerUrl,
    meaning:
      'With CAIRN_OIDC_CLIENT_ID: the issuer of an OpenID provider for sign-in, exactly as the provider writes it, such as https://login.example.com. Its redirect URL is CAIRN_PUBLIC_URL/auth/external/callback.',
  },
  oidcClientId: {
    env: 'CAIRN_OIDC_CLIENT_ID',
    parse: text,
    meaning: 'Client id of this server at the provider.',
  },
  oidcClientSecret: {
    env: 'CAIRN_OIDC_CLIENT_SECRET',
    parse: text,
    meaning: 'Client secret from the provider. Without it, the server is a public client.',
    secret: true,
  },
  oidcName: {
    env: 'CAIRN_OIDC_NAME',
    parse: text,
    meaning: 'Name of the provider on sign-in pages. By default the host of its issuer.',
  },
  corsOrigins: {
    env: 'CAIRN_CORS_ORIGINS',
    default: '',
    parse: origins,
    meaning: 'Origins whose pages can call the server with credentials, separated by commas; * for all.',
  },
  trustedProxies: {
    env: 'CAIRN_TRUSTED_PROXIES',
    default: '',
    parse: addressRanges,
    meaning:
      'Proxies whose X-Forwarded-For header is trusted: addresses, ranges such as 10.0.0.0/8, or loopback, separated by commas. Without it, all clients behind a proxy count as one address.',
  },
  outboundAllow: {
    env: 'CAIRN_OUTBOUND_ALLOW',
    default: '',
    parse: hostsAndPorts,
    meaning:
      'Private targets for webhooks, also over http: host:port, separated by commas. Without it, only public addresses over https.',
  },
  webhookRetrySeconds: {
    env: 'CAIRN_WEBHOOK_RETRY_SECONDS',
    default: '5,30,300,1800,7200,21600,43200',
    parse: seconds,
    meaning: 'Seconds to wait before each retry of a failed delivery, separated by commas. Each number is one retry.',
  },
  runRetentionDays: {
    env: 'CAIRN_RUN_RETENTION_DAYS',
    default: '30',
    parse: wholeNumber({ min: 1, max: 36_500 }),
    meaning: 'Days to store finished runs with their attempts and notifications, counted from the creation of the run.',
  },
  logLevel: {
    env: 'CAIRN_LOG_LEVEL',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    meaning: 'Level of the log: trace, debug, info, warn, error, fatal or silent.',
  },
  metricsToken: {
    env: 'CAIRN_METRICS_TOKEN',
    parse: longSecret,
    meaning: 'Bearer token for GET /metrics. Without it and without CAIRN_METRICS_PORT, there are no metrics.',
    secret: true,
  },
  metricsPort: {
    env: 'CAIRN_METRICS_PORT',
    parse: wholeNumber({ min: 0, max: 65_535 }),
    meaning: 'Port on loopback that serves GET /metrics without a token.',
  },
} satisfies Record<string, Setting<unknown>>;

function limitSettings(): Record<LimitName, Setting<number>> {
  const rows = Object.entries(LIMITS).map(([name, limit]) => [
    name,
    {
      env: `CAIRN_LIMIT_${snakeCase(name)}`,
      default: String(limit.default),
      parse: wholeNumber({ min: 'min' in limit ? limit.min : 1, max: Number.MAX_SAFE_INTEGER }),
      meaning: limit.meaning,
    },
  ]);
  return Object.fromEntries(rows);
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

export const LIMIT_SETTINGS = limitSettings();

export const SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values(BASE_SETTINGS),
  ...Object.values(LIMIT_SETTINGS),
];

export function flagOf(row: Setting<unknown>): string | undefined {
  return row.secret
    ? undefined
    : row.env
        .replace(/^CAIRN_/, '')
        .toLowerCase()
        .replaceAll('_', '-');
}
