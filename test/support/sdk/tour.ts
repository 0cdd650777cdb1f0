// One script that exercises the SDK on every supported runtime. It gets the address of a server and prints results
// without any value that varies between runs, so the output is the same everywhere.
import { CairnClient, CairnError, defineShape, type LiveInvalidate, type RepoHandle } from '@cairn/sdk';

export interface Stage {
  readonly url: string;
  readonly token: string;
  /** An organization that nobody else uses. */
  readonly orgName: string;
}

type Say = (topic: string, ...seen: unknown[]) => void;

const Sensor = defineShape('Sensor', {
  x: 'number',
  'label?': 'string',
  state: { type: 'string', enum: ['on', 'off'], indexed: true },
  'next?': 'wref',
});
const Belief = defineShape('Belief', { safe: 'boolean' });

export async function tour(stage: Stage): Promise<string[]> {
  const lines: string[] = [];
  const say: Say = (topic, ...seen) => lines.push(`${topic}: ${seen.map((one) => JSON.stringify(one)).join(' ')}`);
  const client = new CairnClient({ url: stage.url, token: stage.token });
  await client.org.create(stage.orgName);
  await client.repo.create(stage.orgName, 'lab', { description: 'For a tour' });
  const repo = client.repo(`${stage.orgName}/lab`);
  await write(repo, say);
  await read(repo, say);
  await stream(repo, say);
  await listen(repo, say);
  await copy(client, repo, say);
  await fail(stage, repo, say);
  return lines;
}

async function write(repo: RepoHandle, say: Say): Promise<void> {
  say('shape', (await repo.shapes.ensure(Sensor)).version, (await repo.shapes.ensure(Sensor)).version);
  const commit = repo
    .commit('Sensors, and what we think of them')
    .addShape(Belief)
    .add(Sensor.wref('roof'), { x: 3, state: 'on', label: 'Über dem Dach ☂' })
    .add(Sensor.wref('s-$1'), { x: 4, state: 'off', next: 'Sensor/roof' })
    .add(Belief.wref('one'), { safe: true }, { about: '#1' })
    .addCollection('arc', ['Sensor/roof', '#1'], { name: 'wire' });
  say('validated', (await commit.validate()).operations.length, (await repo.stats()).repoSeq);
  const { repoSeq, operations } = await commit.submit();
  say('committed', repoSeq, operations.map(({ status }) => status).join());
  say('again', (await commit.submit()).repoSeq);
  const many = repo.commit('Many more');
  for (let n = 10; n < 30; n += 1) many.add(Sensor.wref(`n${n}`), { x: n, state: n % 2 === 0 ? 'on' : 'off' });
  await many.submit();
  await repo.commit('A change').revise(Sensor.wref('roof'), { x: 5, state: 'on' }, { expectedVersion: 1 }).submit();
  await repo.commit().rename('Sensor/n10', 'Sensor/ten').retract('Sensor/n11', { reason: 'broken' }).submit();
}

async function read(repo: RepoHandle, say: Say): Promise<void> {
  const names: string[] = [];
  for await (const { name, data } of repo.things.query({
    shape: Sensor,
    where: ['x:gte:20', 'state:eq:on'],
    limit: 2,
  })) {
    names.push(`${name} ${data.x}`);
  }
  say('queried', names);
  const page = await repo.things.head({ shape: Sensor, order: 'name', limit: 3 });
  say(
    'page',
    page.repoSeq,
    page.items.map(({ name }) => name),
    page.nextCursor !== undefined,
  );
  say('counted', (await repo.things.count({ shape: Sensor })).count);
  const { data, version } = await repo.things.get(Sensor.wref('roof'));
  say('got', version, data);
  say('before', (await repo.things.get(Sensor.wref('roof', 1))).data);
  const versions: number[] = [];
  for await (const one of repo.things.history('Sensor/roof')) versions.push(one.version);
  say('history', versions);
  const messages: (string | null)[] = [];
  for await (const { message } of repo.commits.log({ limit: 2 })) messages.push(message);
  say('log', messages);
  const together = await Promise.all([
    repo.stats(),
    repo.describe(),
    repo.things.diff('Sensor/roof', { sinceRepoSeq: 2 }),
  ]);
  say('together', together[0].repoSeq, together[1].shapes.length, together[2].differences);
}

async function stream(repo: RepoHandle, say: Say): Promise<void> {
  async function* operations() {
    for (let n = 0; n < 300; n += 1) yield Sensor.add(`streamed-${n}`, { x: n, state: 'on' });
    yield Sensor.add('streamed-0', { x: 0, state: 'on' });
  }
  const refused: string[] = [];
  const { offset, applied, error } = await repo.stream(operations(), {
    message: 'A stream',
    onRefused: ({ line, code }) => refused.push(`${line} ${code}`),
  });
  say('streamed', offset, applied, error, refused);
}

async function listen(repo: RepoHandle, say: Say): Promise<void> {
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const changed = new Promise<LiveInvalidate>((resolve) => {
    const live = repo.live(
      (change) => {
        live.close();
        resolve(change);
      },
      { onReady: ready },
    );
  });
  await isReady;
  await repo.commit('Heard').add(Belief.wref('heard'), { safe: false }, { about: 'Sensor/roof' }).submit();
  const { affectedRecords, affectedShapes } = await changed;
  say('heard', affectedRecords, affectedShapes);
}

async function copy(client: CairnClient, repo: RepoHandle, say: Say): Promise<void> {
  const rows: Record<string, number> = {};
  const exported = repo.export();
  say('header', (await exported.header).formatVersion);
  for await (const { kind } of exported) rows[kind] = (rows[kind] ?? 0) + 1;
  say('exported', rows);
  await client.repo.create(repo.orgName, 'copy');
  async function* bytes() {
    for await (const { lines } of repo.exportLines()) yield lines;
  }
  const there = client.repo(`${repo.orgName}/copy`);
  say('imported', (await there.import(bytes())).recordCount, (await there.things.get(Sensor.wref('ten'))).data);
}

async function fail({ url, token }: Stage, repo: RepoHandle, say: Say): Promise<void> {
  const tell = async (topic: string, call: () => PromiseLike<unknown>) => {
    const error = await Promise.resolve()
      .then(call)
      .catch((thrown: unknown) => thrown);
    say(topic, error instanceof CairnError && [error.code, error.status, error.isRetryable]);
  };
  await tell('missing', () => repo.things.get('Sensor/nowhere'));
  await tell('taken', () => repo.commit().add(Sensor.wref('roof'), { x: 1, state: 'on' }).submit());
  await tell('overtaken', () => repo.commit().retract('Sensor/roof', { expectedVersion: 1 }).submit());
  await tell('misfit', () => repo.commit().add('Sensor/wrong', { x: 'three', state: 'on' }).submit());
  await tell('unknown', () => new CairnClient({ url, token: 'wrong' }).auth.whoami());
  await tell('aborted', () => repo.export({ signal: AbortSignal.abort() }).header);
  await tell('ended', () => repo.get({ signal: AbortSignal.abort() }));
  // Browsers block this port; elsewhere nobody listens on it.
  await tell('nobody', () => new CairnClient({ url: 'http://127.0.0.1:1', retry: { tries: 0 } }).auth.whoami());
  await tell('nowhere', async () => CairnClient.fromEnv());
  let sent = 0;
  const failing: typeof fetch = async (...request) => {
    sent += 1;
    return sent < 3 ? new Response('<h1>Bad Gateway</h1>', { status: 502 }) : await fetch(...request);
  };
  const trying = new CairnClient({ url, token, fetch: failing, retry: { pauseMs: 0 } });
  say('tried', (await trying.repo(`${repo.orgName}/lab`).get()).name, sent);
}
