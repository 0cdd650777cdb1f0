// The setting of the SDK examples: an organization and a repository for each, and the records that it mentions.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient, type Operation, type RepoHandle } from '@cairn/sdk';
import { expect } from 'vitest';
import { createToken, EVERYTHING } from '../../../packages/server/src/account/account.ts';
import { issueReset } from '../../../packages/server/src/account/operator.ts';
import type { RunningServer } from '../../../packages/server/src/server.ts';
import { smallManifest } from '../manifest.ts';
import { connect } from '../oauth.ts';
import type { Receiver } from '../receiver.ts';
import { OWNER } from '../server.ts';
import type { Stage } from './stage.ts';

export interface StageSetting {
  readonly server: RunningServer;
  /** A webhook receiver that accepts every delivery and does not report back. */
  readonly receiver: Receiver;
  readonly symbol: string;
  readonly orgName: string;
  readonly folder: string;
}

export interface PreparedStage {
  readonly stage: Stage;
  /** Texts of the example and their replacements here. */
  readonly replaced: Readonly<Record<string, string>>;
  readonly close: () => void;
}

const PASSWORD = 'a password of some length';
const SECRET = `whsec_${Buffer.alloc(32, 'a secret').toString('base64')}`;
const SHAPES: Operation[] = [
  { kind: 'shape', name: 'Location', data: { fields: { x: 'number', 'label?': 'string' } } },
  { kind: 'shape', name: 'Signal', data: { fields: { level: 'number' } } },
  { kind: 'shape', name: 'Belief', data: { fields: { safe: 'boolean' } } },
];
const RECORDS: Operation[] = [
  { name: 'Location/cave', data: { x: 3 } },
  { name: 'Location/hut', data: { x: 4 } },
];

/** The existing setup, for examples that create the rest themselves. */
const BEGINS_WITH: Record<string, 'nothing' | 'organization' | 'repository' | 'shapes'> = {
  OrgSurface: 'nothing',
  isRetryable: 'nothing',
  RepoSurface: 'organization',
  ShapeSurface: 'repository',
  CommitBuilder: 'shapes',
  CommitSurface: 'shapes',
  RepoHandle: 'shapes',
};

/** The server without an owner, for the first example, `setUpServer`. */
export async function prepareFirst({ server }: Pick<StageSetting, 'server'>): Promise<Partial<Stage>> {
  return { code: server.setupUrl ?? '', email: OWNER.email, password: OWNER.password };
}

export async function prepareStage(setting: StageSetting): Promise<PreparedStage> {
  const { server, receiver, symbol, orgName, folder } = setting;
  const { token } = await createToken(server.store, { email: OWNER.email, name: symbol, scopes: EVERYTHING });
  const client = new CairnClient({ url: server.url, token });
  const repo = client.repo(`${orgName}/world`);
  await begin(repo, client, BEGINS_WITH[symbol]);
  const special = await (SPECIAL[symbol] ?? nothing)({ ...setting, client, repo });
  const { closing = () => {}, clientId = 'my-program', ...stage } = special;
  const given = { client, repo, url: server.url, token, email: OWNER.email, password: OWNER.password };
  return {
    stage: { ...given, newPassword: `another ${PASSWORD}`, readings: () => RECORDS, ...stage } as Stage,
    replaced: {
      'http://localhost:8787': server.url,
      acme: orgName,
      'my-program': clientId,
      'bob@example.com': `guest-${orgName}@example.com`,
      'world.ndjson': join(folder, `${orgName}.ndjson`),
      'later.ndjson': join(folder, `${orgName}-later.ndjson`),
      'monday.ndjson': join(folder, `${orgName}-monday.ndjson`),
      'https://hooks.example.com/cairn': receiver.url,
      'readings.ndjson': join(folder, 'readings.ndjson'),
    },
    close: closing,
  };
}

async function begin(repo: RepoHandle, client: CairnClient, until: string = 'records'): Promise<void> {
  if (until === 'nothing') return;
  await client.org.create(repo.orgName);
  if (until === 'organization') return;
  await client.repo.create(repo.orgName, repo.repoName);
  if (until === 'repository') return;
  await repo.commits.submit({ operations: SHAPES });
  if (until === 'records') await repo.commits.submit({ operations: RECORDS });
}

interface Special extends Partial<Stage> {
  readonly closing?: () => void;
  readonly clientId?: string;
}

type Prepare = (setting: StageSetting & { client: CairnClient; repo: RepoHandle }) => Promise<Special>;

const nothing: Prepare = async () => ({});

const subscribed: Prepare = async ({ repo, receiver }) => {
  await repo.subscriptions.create('signals', { filter: {}, webhookUrl: receiver.url });
  return { secret: SECRET };
};

/** A run whose delivery was accepted but never reported as finished. */
const delivered: Prepare = async (setting) => {
  await subscribed(setting);
  await setting.repo.commit().add('Signal/first', { level: 1 }).submit();
  const isTaken = async () => (await setting.repo.actions.runs({ status: 'processing' })).items.length === 1;
  await expect.poll(isTaken).toBe(true);
  return {};
};

const credentialed: Prepare = async ({ repo }) => {
  await repo.credentials.create('hooks');
  await repo.credentials.setKeys('hooks', { WEBHOOK_SIGNING_SECRET: SECRET });
  return {};
};

const invited: Prepare = async ({ client, orgName }) => {
  const { link = '' } = await client.org.addMember(orgName, `guest-${orgName}@example.com`, 'editor');
  return { code: link, password: PASSWORD };
};

const signedIn: Prepare = async ({ server: { url } }) => {
  const { client_id: clientId, access_token: accessToken, refresh_token: refreshToken } = await connect({ url });
  const client = new CairnClient({ url, token: accessToken });
  return { client, clientId, refreshToken, tokens: { accessToken, refreshToken, expiresAt: Date.now() } };
};

/** Both keep the owner's password, because later examples use it. */
const changing: Prepare = async () => ({ newPassword: OWNER.password });

const forgotten: Prepare = async ({ server }) => ({
  code: (await issueReset(server.store, OWNER.email)).code,
  newPassword: OWNER.password,
});

const copied: Prepare = async ({ client, repo }) => {
  await client.repo.create(repo.orgName, 'copy');
  const lines: string[] = [];
  for await (const part of repo.exportLines()) lines.push(...new TextDecoder().decode(part.lines).trim().split('\n'));
  const [header = '', ...rows] = lines;
  return { header: JSON.parse(header), end: JSON.parse(rows.pop() ?? ''), lines: rows.join('\n') };
};

const streamed: Prepare = async ({ repo, folder }) => {
  await repo.stream([{ name: 'Location/night', data: { x: 1 } }], { streamId: 'night-run' });
  writeFileSync(join(folder, 'readings.ndjson'), '{"name":"Location/read","data":{"x":9}}\n');
  return { readings: () => [{ name: 'Location/streamed', data: { x: 2 } }] };
};

/** Changes a record at intervals while a client listens. */
const changingOften: Prepare = async ({ repo }) => {
  let n = 0;
  const timer = setInterval(() => {
    n += 1;
    repo
      .commit()
      .add(`Location/often-${n}`, { x: n })
      .submit()
      .catch(() => {});
  }, 100);
  return { closing: () => clearInterval(timer) };
};

const inEnvironment: Prepare = async ({ server }) => {
  const before = process.env.CAIRN_URL;
  process.env.CAIRN_URL = server.url;
  const closing = () => {
    if (before === undefined) delete process.env.CAIRN_URL;
    else process.env.CAIRN_URL = before;
  };
  return { closing };
};

/** A component with a method, at the origin of its setup endpoint. */
const countingManifest = (version: string) => ({
  ...smallManifest({ name: 'word-count', version }),
  credentials: [{ name: 'word-count-keys', requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] }],
  cli: {
    methods: [
      { name: 'count', method: 'GET', credentialSet: 'word-count-keys', args: [{ name: 'text', type: 'string' }] },
    ],
  },
});

const SPECIAL: Record<string, Prepare> = {
  ActionSurface: delivered,
  AuthSurface: signedIn,
  CairnClient: inEnvironment,
  ComponentSurface: async () => ({
    manifest: countingManifest('1.0.0'),
    nextManifest: countingManifest('1.1.0'),
    secret: SECRET,
  }),
  CredentialSurface: subscribed,
  ImportSurface: copied,
  LiveStream: changingOften,
  RepoCopySurface: copied,
  RepoStreamSurface: streamed,
  StreamSurface: streamed,
  SubscriptionSurface: credentialed,
  acceptInvitation: invited,
  changePassword: changing,
  refreshSession: signedIn,
  refreshingToken: signedIn,
  resetPassword: forgotten,
};
