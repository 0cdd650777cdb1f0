// The calls shown on each page return the same data by REST, SDK and CLI when they are copied and run.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CairnClient } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { startReceiver } from '../support/receiver.ts';
import { cairnFile, NODE_PATH, ROOT, testFolder } from '../support/server.ts';
import { IS_LONG } from '../support/suite.ts';
import type { Page } from '../tools/chromium.ts';

const run = promisify(execFile);

const at = '/ada/valley';
/** Only JSON can express a list item that contains a comma. */
const WRITTEN = JSON.stringify([{ fieldPath: 'label', op: 'in', rhs: ['The old cave', 'The lake, the river'] }]);
const conditions = (...texts: string[]) => `where=${encodeURIComponent(JSON.stringify(texts))}`;
/** The default suite runs one in six of these pages. */
const PAGES = [
  '/',
  '/-/tokens',
  '/-/registry',
  '/-/registry?q=nothing',
  '/ada',
  '/ada/-/members',
  '/ada/-/components',
  '/ada/-/audit?action=repo.create',
  '/ada/-/settings',
  '/ada/-/operate/subscriptions',
  '/ada/-/operate/subscriptions/repos',
  '/ada/-/operate/runs',
  '/ada/-/operate/notifications',
  '/ada/-/operate/credentials',
  at,
  `${at}/settings`,
  `${at}/operate/components`,
  `${at}?at=4`,
  `${at}/records`,
  `${at}/records?shape=Location&${conditions('danger:gte:0.1', 'label:exists:true')}&order=name`,
  `${at}/records?shape=Location&${conditions('danger:gte:0.1', WRITTEN)}`,
  `${at}/records?q=cave&at=7`,
  `${at}/record/Location/cave`,
  `${at}/record/Location/cave?version=1`,
  `${at}/record/Belief/cave-by-mara?at=6`,
  `${at}/shapes`,
  `${at}/shapes/Person`,
  `${at}/shapes/Location`,
  `${at}/commits`,
  `${at}/commits/7`,
  `${at}/graph`,
  `${at}/graph?from=Location/cave`,
  `${at}/operate/subscriptions`,
  `${at}/operate/subscriptions/signals`,
  `${at}/operate/runs?subscription=signals&status=succeeded`,
  `${at}/operate/notifications`,
  `${at}/operate/credentials`,
  `${at}/operate/credentials/hooks`,
].filter((_, index) => IS_LONG || index % 6 === 0);

async function subscribe(client: CairnClient, webhookUrl: string): Promise<string> {
  const repo = ['ada', 'valley'] as const;
  await client.credential.create(...repo, 'hooks');
  await client.credential.setKeys(...repo, 'hooks', { WEBHOOK_BEARER_TOKEN: 'let me in' });
  await client.subscription.create(...repo, 'signals', { filter: {}, webhookUrl, credentialSet: 'hooks' });
  await client.subscription.create('ada', null, 'repos', { event: 'repo.created', webhookUrl });
  await client.shape.create(...repo, 'Signal', { fields: {} });
  const over = async () => (await client.action.runs(...repo, { status: 'succeeded' })).items;
  await expect.poll(over).toHaveLength(1);
  return (await over())[0]?.runId ?? '';
}

interface Told {
  readonly what: string;
  readonly text: string;
}

/** Reads the calls that a page shows for REST, the SDK or the CLI. */
async function callsOn(page: Page, way: string): Promise<Told[]> {
  await page.getByRole('tab', { name: way, exact: true }).click();
  const figures = await page.locator('.calls figure:visible').all();
  return await Promise.all(
    figures.map(async (figure) => ({
      what: (await figure.locator('figcaption').innerText()).split('\n')[0] ?? '',
      text: await figure.locator('code').innerText(),
    })),
  );
}

interface Compared {
  readonly place: string;
  readonly given: unknown;
  readonly sdk: string;
}

const PRINTED = 'console.log(answer);';

/** One program runs all calls, because each takes longer to start than to run. */
function programOf(compared: readonly Compared[]): string {
  const [first = ''] = compared[0]?.sdk.split('\n') ?? [];
  const calls = compared.map(
    ({ sdk }) =>
      `answers.push(await (async () => {${sdk.replace(first, '').replace(PRINTED, 'return answer;')}\n})());`,
  );
  return [first, 'const answers = [];', ...calls, 'console.log(JSON.stringify(answers));'].join('\n');
}

/** Runs the calls exactly as the page shows them. */
function programs({ url, token }: { url: string; token: string }) {
  const profiles = `${testFolder()}/profiles.json`;
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_CONFIG: profiles, PATH: NODE_PATH };
  const options = { env: environment, cwd: ROOT, maxBuffer: 64 * 1_024 * 1_024 };
  const command = `cairn() { node '${cairnFile()}' "$@"; }`;
  return {
    byShell: async (text: string) => {
      const { stdout } = await run('bash', ['-c', `${command}\n${text.replace(/^curl /, 'curl -sS ')}`], options);
      return JSON.parse(stdout);
    },
    byNode: async (text: string) => {
      const { stdout } = await run('node', ['--input-type=module', '-e', text], options);
      return JSON.parse(stdout);
    },
  };
}

detail('are the same by REST, SDK and CLI', async () => {
  const receiver = await startReceiver();
  const { url, token, client, visit } = await openExplorer((owner) => writeValley(owner, 'ada'), {
    environment: { CAIRN_OUTBOUND_ALLOW: receiver.address },
  });
  const runId = await subscribe(client, receiver.url);
  const { page } = await visit({ signedIn: true });
  const { byShell, byNode } = programs({ url, token });
  const compared: Compared[] = [];
  for (const path of [...PAGES, `${at}/operate/runs/${runId}`]) {
    await page.goto(`${url}${path}`);
    await page.getByRole('banner').getByRole('link', { name: 'ada' }).waitFor();
    await page.getByText('Get this by REST, SDK or CLI').click();
    const [http, sdk, cli] = [await callsOn(page, 'REST'), await callsOn(page, 'SDK'), await callsOn(page, 'CLI')];
    expect(http.length, path).toBeGreaterThan(0);
    for (const [index, { what, text }] of http.entries()) {
      const place = `${path} ${what}`;
      const answer = await byShell(text);
      const given = answer.result?.data ?? answer;
      expect(given.error, place).toBeUndefined();
      expect(await byShell(cli[index]?.text ?? ''), place).toEqual(given);
      compared.push({ place, given, sdk: sdk[index]?.text ?? '' });
    }
  }
  const answers: unknown[] = await byNode(programOf(compared));
  for (const [index, { place, given }] of compared.entries()) expect(answers[index], place).toEqual(given);
  expect(compared.length).toBeGreaterThan(PAGES.length);
});

detail.each(SIZES)('say where the command, the SDK and a token come from on a $device', async ({ size }) => {
  const { url, client, visit } = await openExplorer((owner) => writeValley(owner, 'ada'));
  const visitor = await visit({ size, signedIn: true });
  const { page } = visitor;
  const calls = page.locator('details.calls');
  const open = async (path: string) => {
    await page.goto(`${url}${path}`);
    await page.getByRole('banner').getByRole('link', { name: 'ada' }).waitFor();
    await page.getByText('Get this by REST, SDK or CLI').click();
  };
  await open(`${at}/shapes`);
  await calls.getByText('This repository is private, so requests without a token get “not found”.').waitFor();
  await expectWellMade(visitor);
  await page.getByRole('tab', { name: 'SDK', exact: true }).click();
  await calls.getByText('node run.mjs FILE.ts').waitFor();
  const how = await calls.getByRole('link', { name: 'install it in your own project' }).getAttribute('href');
  await page.getByRole('tab', { name: 'CLI', exact: true }).click();
  await calls.getByText('npx cairn', { exact: true }).waitFor();
  await calls.getByText(`cairn auth login --url ${url}`).waitFor();
  const installed = await calls.getByRole('link', { name: 'install it', exact: true }).getAttribute('href');
  await expectWellMade(visitor);
  for (const link of [how, installed]) {
    const [path, heading] = (link ?? '').split('#');
    expect(await (await fetch(`${url}${path}`)).text()).toContain(`id="${heading}"`);
  }
  await calls.getByRole('link', { name: 'Tokens', exact: true }).click();
  await page.waitForURL(`${url}/-/tokens`);
  await client.repo.setVisibility('ada', 'valley', { visibility: 'public' });
  await open(`${at}/shapes`);
  await calls.getByText('This repository is public, so public data needs no token.').waitFor();
  const { page: stranger } = await visit({ size });
  await stranger.goto(`${url}${at}/shapes`);
  await stranger.getByText('Get this by REST, SDK or CLI').click();
  await stranger.locator('details.calls code').first().waitFor();
  expect(await stranger.locator('details.calls').innerText()).not.toContain('CAIRN_TOKEN');
});

/** Shell and program quotes, an end of input, undefined variables, and a character that reverses the text direction. */
const HOSTILE = `'; "$(touch x)" \`\${y}\` \\ \\x41\nEND\n\u202e"</code><b>\u2028é😀`;

it.each(SIZES)('write a draft by REST, SDK and CLI as it would be committed on a $device', async ({ size }) => {
  const { url, token, client, visit } = await openExplorer(async (owner) => {
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Place', { fields: { label: 'string' } });
    await owner.commit.submit('ada', 'world', { operations: [{ name: 'Place/lake', data: { label: 'A lake' } }] });
  });
  const { byShell, byNode } = programs({ url, token });
  const visitor = await visit({ size, signedIn: true });
  const { page } = visitor;
  await page.goto(`${url}/ada/world/new?shape=Place`);
  await page.getByLabel('label').fill(HOSTILE);
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByText('Write this by REST, SDK or CLI').click();
  await page.getByText('CAIRN_TOKEN is a token').waitFor();
  await page.getByLabel('Message').fill(`It's \u202e"new" \\x41`);
  await expectWellMade(visitor);
  const [[http], [sdk], [cli]] = [await callsOn(page, 'REST'), await callsOn(page, 'SDK'), await callsOn(page, 'CLI')];
  for (const call of [http, sdk, cli]) expect(call?.text).not.toMatch(/[\u202e\u2028]/);
  // Each call without a name makes another record.
  await byShell(http?.text ?? '');
  await byNode(sdk?.text.replace(PRINTED, 'console.log(JSON.stringify(answer));') ?? '');
  await byShell(cli?.text ?? '');
  const { items: commits } = await client.commit.log('ada', 'world', { limit: 3 });
  expect(commits.map(({ message }) => message)).toEqual(Array(3).fill(`It's \u202e"new" \\x41`));
  const { items } = await client.thing.head('ada', 'world', { shape: 'Place' });
  const made = items.filter(({ name }) => name !== 'Place/lake').map(({ data }) => data);
  expect(made).toEqual(Array(3).fill({ label: HOSTILE }));
  await page.goto(`${url}/ada/world/edit/Place/lake`);
  await page.getByLabel('label').fill('A dry lake');
  await page.getByRole('button', { name: 'Review', exact: true }).click();
  await page.getByRole('button', { name: /^Discard: Add/ }).click();
  await page.getByText('Write this by REST, SDK or CLI').click();
  const [revision] = await callsOn(page, 'REST');
  await byShell(revision?.text ?? '');
  expect(await client.thing.get('ada', 'world', 'Place/lake')).toMatchObject({
    version: 2,
    data: { label: 'A dry lake' },
  });
  // The record has a newer version now, so the call is refused like the draft.
  expect(await byShell(revision?.text ?? '')).toMatchObject({ error: {} });
  await page.getByText('Meanwhile').waitFor();
});
