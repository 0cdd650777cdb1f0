// The setup of a run: an owner, a server, repositories with shapes, and subscriptions to their commits.
import { CairnClient } from '@cairn/sdk';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { Random } from '../support/random.ts';
import { SHAPES } from './content.ts';
import type { Findings } from './finding.ts';
import type { Ground } from './ground.ts';
import { SET_UP_MESSAGE } from './log-follower.ts';
import { Meter } from './meter.ts';
import type { Receiver } from './receiver.ts';
import { RepositoryModel } from './repository-model.ts';
import { SoakServer } from './server.ts';
import type { World } from './world.ts';

export const ORG_NAME = 'soak';
export const SUBSCRIPTIONS = ['first', 'second'] as const;

/** The maximum number of attempts, because each kill uses up one attempt of every run in progress. */
const RETRY_SECONDS = Array.from({ length: 50 }, () => '1').join(',');
/** Less than the name limit of a live event, so that events name all changes and can be compared. */
const STREAM_CHUNK_LINES = '150';

export interface SetUpOptions {
  readonly ground: Ground;
  readonly serverFile: string;
  readonly seed: number;
  readonly repositories: readonly string[];
  readonly findings: Findings;
}

export interface SetUp {
  readonly world: World;
  readonly server: SoakServer;
  giveUp(reason: unknown): void;
}

export async function setUp(options: SetUpOptions, receiver?: Receiver): Promise<SetUp> {
  const { ground, serverFile, seed, repositories, findings } = options;
  const random = new Random(seed);
  const token = await createOwner(ground);
  const settings = {
    ...ground.settings,
    CAIRN_LOG_LEVEL: 'error',
    CAIRN_LIMIT_STREAM_CHUNK_LINES: STREAM_CHUNK_LINES,
    CAIRN_WEBHOOK_RETRY_SECONDS: RETRY_SECONDS,
    ...(receiver !== undefined && { CAIRN_OUTBOUND_ALLOW: receiver.address }),
  };
  const server = await SoakServer.start({ file: serverFile, settings });
  const { url } = server;
  const models = repositories.map((repoName) => new RepositoryModel({ orgName: ORG_NAME, repoName, findings }));
  const giving = new AbortController();
  const client = new CairnClient({ url, token });
  const world: World = {
    ...{ url, token, client, models, findings, random },
    meter: new Meter(),
    isGoing: true,
    signal: giving.signal,
  };
  try {
    for (const model of models) await fill(world, model, receiver);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { world, server, giveUp: (reason) => giving.abort(reason) };
}

async function createOwner({ location }: Ground): Promise<string> {
  const store = await openStore(location);
  const email = 'soak@example.com';
  // Created in the store directly, because nobody signs in with a password.
  await store.write.createAccount({ email, handle: ORG_NAME, passwordHash: '-', operator: true });
  const { token } = await createToken(store, { email, name: 'soak', scopes: EVERYTHING });
  await store.close();
  return token;
}

async function fill({ client }: World, model: RepositoryModel, receiver: Receiver | undefined): Promise<void> {
  const { orgName, repoName } = model;
  await client.repo.create(orgName, repoName);
  const { repoSeq } = await client.commit.submit(orgName, repoName, { message: SET_UP_MESSAGE, operations: SHAPES });
  model.head = repoSeq;
  if (receiver === undefined) return;
  const subscription = { filter: { shape: 'Item' }, webhookUrl: receiver.urlFor(model) };
  for (const name of SUBSCRIPTIONS) await client.subscription.create(orgName, repoName, name, subscription);
}

/** Start of subscriptions and listeners. The shapes already exist at this sequence. */
export const FIRST_SEQ = 1;
