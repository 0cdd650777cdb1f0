// One record in the explorer: its data, assertions, references and history.
import type { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { purge } from '../../packages/server/src/admin/purge.ts';
import { detail, expectMissing, expectWellMade, openExplorer, PHONE, SIZES } from '../support/explorer.ts';
import { openTestBlobs } from '../support/server.ts';

const SHAPES = [
  {
    kind: 'shape',
    name: 'Location',
    data: {
      fields: {
        label: { type: 'string', description: 'What people call it' },
        'depth?': 'number',
        'next?': { type: 'wref', shape: 'Location' },
        'tags?': ['string'],
        'more?': 'json',
      },
    },
  },
  { kind: 'shape', name: 'Belief', data: { fields: { safe: 'boolean', 'why?': 'string' } } },
];

/**
 * Commits: 1 adds a cave, a hut and assertions, 2 revises the cave, 3 adds a lake, 4 renames it, 5 retracts the hut.
 */
async function fill(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  const submit = (message: string, ...operations: object[]) =>
    client.commit.submit('ada', 'world', { message, operations });
  await submit(
    'The first cave',
    ...SHAPES,
    { name: 'Location/hut', data: { label: 'A hut' } },
    { name: 'Location/cave', data: { label: 'A cave', depth: 3, next: 'Location/hut', tags: ['dark', 'wet'] } },
    { name: 'Belief/cave-safe', about: 'Location/cave', data: { safe: true, why: 'Nobody was eaten' } },
    { type: 'arc', name: 'way', members: ['Location/cave', 'Location/hut'] },
  );
  const revised = { label: 'A deep cave', depth: 5, next: 'Location/hut@v1' };
  await submit('Measured again', { operation: 'revise', name: 'Location/cave', data: revised });
  await submit('A lake', { name: 'Location/lake', data: { label: 'A lake' } });
  await submit('Its own name', { operation: 'rename', name: 'Location/lake', newName: 'Location/mere' });
  await submit('It fell', { operation: 'retract', name: 'Location/hut', reason: 'It collapsed' });
}

describe('one record in the explorer', () => {
  it.each(SIZES)('shows its data, what is said about it and what it is tied to on a $device', async ({ size }) => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit({ size });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    await page.getByRole('heading', { level: 1, name: 'Location/cave' }).waitFor();
    expect(await page.title()).toBe('Location/cave · ada/world · Cairn');
    const data = page.getByRole('region', { name: 'Data' });
    await data.getByText('A deep cave').waitFor();
    await data.getByText('What people call it').waitFor();
    expect(await data.getByRole('link', { name: 'Location/hut@v1' }).getAttribute('href')).toBe(
      '/ada/world/record/Location/hut?version=1',
    );
    const identity = page.getByRole('region', { name: 'Identity' });
    const [above, below] = [await data.boundingBox(), await identity.boundingBox()];
    expect(above?.y).toBeLessThan(below?.y ?? 0);
    await identity.getByText('Identifies this record permanently').waitFor();
    await identity.getByText('Equal hashes mean equal data').waitFor();
    const said = page.getByRole('region', { name: 'Assertions', exact: true });
    await said.getByRole('link', { name: 'Belief/cave-safe' }).waitFor();
    await said.getByText('Nobody was eaten').waitFor();
    await said.getByText('about version 1').waitFor();
    const references = page.getByRole('region', { name: 'References' });
    await references.getByRole('heading', { name: 'Collections, in “from”' }).waitFor();
    const way = references.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Arc/way' }) });
    expect(await way.innerText()).toMatch(/^Arc\/way \S+, to version 1 of this record$/);
    await data.locator('dd', { hasText: 'Location/hut@v1' }).getByText('retracted').waitFor();
    const targets = references.getByRole('listitem').filter({ hasText: 'Location/hut@v1' });
    await targets.getByText('retracted').waitFor();
    expect(await references.getByText('retracted').count()).toBe(1);
    await page.getByText('Measured again').first().waitFor();
    await expectWellMade(visited);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'Belief/cave-safe' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Belief/cave-safe' }).waitFor();
    await page.getByText('About').getByRole('link', { name: 'Location/cave@v1' }).waitFor();
    await page.goto(`${url}/ada/world/record/Arc/way`);
    const members = page.getByRole('region', { name: 'Members' });
    await members.getByRole('link', { name: 'Location/cave@v1' }).waitFor();
    await page.getByText('collection (arc)', { exact: true }).waitFor();
    await expectWellMade(visited);
  });

  it('shows its history with differences, and each version, by the keyboard alone', async () => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit();
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    const history = page.getByRole('region', { name: 'History' });
    const second = history.locator('summary', { hasText: 'Version 2' });
    await second.focus();
    await page.keyboard.press('Enter');
    await history.getByText('Changed label').waitFor();
    await history.getByText('Removed tags').waitFor();
    expect(await history.getByText('Changed next').count()).toBe(0);
    await expectWellMade(visited);
    await history.locator('summary', { hasText: 'Version 1' }).focus();
    await page.keyboard.press('Enter');
    await history.getByText('The first cave').waitFor();
    await history.getByRole('link', { name: 'View version 1' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('This is version 1, not the newest.').waitFor();
    expect(new URL(page.url()).search).toBe('?version=1');
    await page.getByText('dark').waitFor();
    await page.getByRole('heading', { name: 'Assertions about version 1' }).waitFor();
    await page.getByRole('heading', { name: 'References to version 1' }).waitFor();
    const others = page.getByRole('link', { name: 'View references to all versions' });
    expect(await others.getAttribute('href')).toBe('/ada/world/record/Location/cave');
    await page.getByRole('tab', { name: 'Fields' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('"depth": 3').waitFor();
    expect(new URL(page.url()).search).toBe('?version=1&as=json');
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'View version 2, the newest' }).click();
    await page.getByText('A deep cave').waitFor();
    await page.goto(`${url}/ada/world/record/Location/cave?version=9`);
    await page.getByRole('heading', { name: 'Version 9 not found' }).waitFor();
    await page.getByRole('link', { name: 'View it' }).click();
    await page.getByText('A deep cave').waitFor();
  });

  detail('lets who may write reply to what is said', async () => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit({ signedIn: true });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    const said = page.getByRole('region', { name: 'Assertions', exact: true });
    await said.getByText('Assertions about Belief/cave-safe (none yet)').click();
    await said.getByRole('link', { name: 'Reply' }).waitFor();
    await expectWellMade(visited);
    await said.getByRole('link', { name: 'Reply' }).click();
    await expect.poll(() => page.getByLabel('About').inputValue()).toBe('Belief/cave-safe');
  });

  detail('shows what is said about what is said, one level at a time, by the keyboard', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const reply = (name: string, about: string) => ({
      name: `Belief/${name}`,
      about,
      data: { safe: false, why: name },
    });
    await client.commit.submit('ada', 'world', {
      operations: [reply('not-so', 'Belief/cave-safe'), reply('but-so', 'Belief/not-so')],
    });
    const visited = await visit({ size: PHONE });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave`);
    const said = page.getByRole('region', { name: 'Assertions', exact: true });
    await said.getByText('Assertions about Belief/cave-safe (1)').waitFor();
    expect(await said.getByRole('link', { name: 'Belief/not-so' }).count()).toBe(0);
    for (const [name, next] of [
      ['cave-safe', 'not-so'],
      ['not-so', 'but-so'],
    ]) {
      await said.locator('summary', { hasText: `Assertions about Belief/${name}` }).focus();
      await page.keyboard.press('Enter');
      await said.getByRole('link', { name: `Belief/${next}` }).waitFor();
    }
    await said.getByText('Assertions about Belief/but-so (none yet)').click();
    await said.getByText('No assertions yet.').waitFor();
    expect(await said.getByRole('link', { name: 'Reply' }).count()).toBe(0);
    await expectWellMade(visited);
    await said.getByText('Assertions about Belief/cave-safe (1)').waitFor();
    const before = await client.thing.get('ada', 'world', 'Belief/not-so');
    await client.commit.submit('ada', 'world', { operations: [reply('so-too', 'Belief/cave-safe')] });
    await said.getByText('Assertions about Belief/cave-safe (2)').waitFor();
    await page.goto(`${url}/ada/world/record/Location/cave?at=${before.repoSeq - 1}`);
    await said.getByText('Assertions about Belief/cave-safe (none yet)').waitFor();
  });

  detail('asks together how much is said about each of many assertions', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const beliefs = Array.from({ length: 15 }, (_, n) => ({
      name: `Belief/b${n}`,
      about: 'Location/cave',
      data: { safe: true },
    }));
    await client.commit.submit('ada', 'world', { operations: beliefs });
    const { page } = await visit();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${url}/ada/world/record/Location/cave`);
    const said = page.getByRole('region', { name: 'Assertions', exact: true });
    await expect.poll(() => said.getByText('(none yet)').count()).toBe(16);
    expect(asked.filter((address) => address.includes('thing.count'))).toHaveLength(1);
  });

  detail('asks once what of its references is retracted', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const huts = Array.from({ length: 30 }, (_, n) => ({ name: `Location/h${n}`, data: { label: 'A hut' } }));
    await client.commit.submit('ada', 'world', { operations: huts });
    const members = huts.map(({ name }) => name);
    await client.commit.submit('ada', 'world', { operations: [{ type: 'list', name: 'huts', members }] });
    const gone = huts.slice(3, 6).map(({ name }) => ({ operation: 'retract', name }));
    await client.commit.submit('ada', 'world', { operations: gone });
    const { page } = await visit();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`));
    await page.goto(`${url}/ada/world/record/List/huts`);
    await page.locator('summary', { hasText: '30 items' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Members' }).getByText('retracted').count()).toBe(3);
    await expect.poll(() => page.getByRole('region', { name: 'References' }).getByText('retracted').count()).toBe(3);
    expect(asked.filter((request) => request.includes('thing.getMany'))).toHaveLength(1);
    const before = await client.thing.get('ada', 'world', 'List/huts');
    await page.goto(`${url}/ada/world/record/List/huts?at=${before.repoSeq}`);
    await page.locator('summary', { hasText: '30 items' }).click();
    await page.getByRole('region', { name: 'Members' }).getByRole('link', { name: 'Location/h3@v1' }).waitFor();
    await expect.poll(() => page.locator('main .label', { hasText: 'retracted' }).count()).toBe(0);
  });

  detail('tells in its history what it was called, at its place among the versions', async () => {
    const { url, client, visit } = await openExplorer(fill);
    await client.commit.submit('ada', 'world', {
      operations: [{ operation: 'revise', name: 'Location/mere', data: { label: 'A still lake' } }],
    });
    const visited = await visit({ size: PHONE });
    const { page } = visited;
    const timeline = page.locator('.timeline > li');
    await page.goto(`${url}/ada/world/record/Location/mere`);
    await timeline.getByText('Renamed from Location/lake to Location/mere in commit 4').waitFor();
    const told = await timeline.allInnerTexts();
    expect(told.map((text) => text.split(' ', 2).join(' '))).toEqual(['Version 2', 'Renamed from', 'Version 1']);
    await expectWellMade(visited);
    await timeline.getByRole('link', { name: 'commit 4' }).click();
    await page.waitForURL(`${url}/ada/world/commits/4`);
    await page.goto(`${url}/ada/world/record/Location/lake?at=3`);
    await timeline.getByText('Version 1').waitFor();
    expect(await timeline.count()).toBe(1);
  });

  it('shows what it was at any sequence, and where it is when it is not there', async () => {
    const { url, visit } = await openExplorer(fill);
    const visited = await visit({ size: PHONE });
    expectMissing(visited);
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/Location/cave?at=1`);
    await page.getByRole('region', { name: 'Data' }).getByText('A cave').waitFor();
    await page.locator('.timeline > li').waitFor();
    expect(await page.locator('.timeline > li').count()).toBe(1);
    await page.goto(`${url}/ada/world/record/Location/mere?at=2`);
    await page.getByRole('heading', { level: 1, name: 'Record not found at this sequence' }).waitFor();
    await expectWellMade(visited);
    await page.getByRole('link', { name: 'View it at sequence 3' }).click();
    await page.getByRole('heading', { level: 1, name: 'Location/lake' }).waitFor();
    await page.goto(`${url}/ada/world/record/Location/mere?at=3`);
    await page.getByRole('heading', { level: 1, name: 'Location/lake' }).waitFor();
    await page.getByText('Now called Location/mere.').waitFor();
    await page.getByRole('region', { name: 'Data' }).getByText('A lake').waitFor();
    expect(page.url()).toBe(`${url}/ada/world/record/Location/mere?at=3`);
    await page.goto(`${url}/ada/world/record/Location/lake?at=3`);
    await page.getByText('Now called Location/mere.').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Location/mere' }).waitFor();
    await page.getByText('Formerly Location/lake.').waitFor();
    expect(page.url()).toBe(`${url}/ada/world/record/Location/mere`);
    expect(await page.title()).toBe('Location/mere · ada/world · Cairn');
    await page.goto(`${url}/ada/world/record/Location/mere?at=3&version=1`);
    await page.getByRole('heading', { level: 1, name: 'Location/lake' }).waitFor();
    await page.goto(`${url}/ada/world/record/Location/hut`);
    await page.getByText('This record is retracted').getByText('It collapsed').waitFor();
    expect(await page.getByRole('link', { name: 'View graph' }).getAttribute('href')).toBe(
      '/ada/world/graph?from=Location%2Fhut',
    );
    await expectWellMade(visited);
    await page.goto(`${url}/ada/world/record/Location/no-such-cave`);
    await page.getByRole('heading', { level: 1, name: 'Record not found' }).waitFor();
    await page.getByRole('link', { name: 'Search the records' }).click();
    await page.waitForURL('**/ada/world/records?q=no+such+cave');
  });

  detail('follows what changes, and marks it', async () => {
    const { url, client, visit } = await openExplorer(fill);
    const { page } = await visit();
    await page.goto(`${url}/ada/world/record/Location/cave`);
    await page.getByText('Live', { exact: true }).waitFor();
    const operations = [
      { operation: 'revise', name: 'Location/cave', data: { label: 'A cave of wonders' } },
      { name: 'Belief/wonderful', about: 'Location/cave', data: { safe: false } },
    ];
    await client.commit.submit('ada', 'world', { operations });
    await page.getByRole('region', { name: 'Data' }).getByText('A cave of wonders').waitFor();
    await page.locator('.record-heading.changed').waitFor();
    await page.locator('li.changed', { hasText: 'Belief/wonderful' }).first().waitFor();
    await page.locator('.timeline summary', { hasText: 'Version 3' }).waitFor();
    await client.thing.rename('ada', 'world', 'Location/cave', 'Location/grotto');
    await page.getByRole('heading', { level: 1, name: 'Location/grotto' }).waitFor();
    await page.getByText('Formerly Location/cave.').waitFor();
    await page.locator('.timeline > li').first().getByText('Renamed from Location/cave to Location/grotto').waitFor();
  });

  detail('shows hostile, long, deep and purged data as what it is', async () => {
    const { url, client, store, visit } = await openExplorer(fill);
    const name = 'Location/a\u05d0b<b>c';
    const more = {
      long: 'x'.repeat(1_000_000),
      script: '<img src=x onerror="document.title=1"><script>document.title=2</script>',
      turned: 'abc\u202edef',
      many: Array.from({ length: 250 }, (_, index) => index),
      deep: { a: { b: { c: { d: 'at the bottom' } } } },
      __proto: { constructor: null },
      empty: {},
    };
    const operations = [
      { name, data: { label: '<script>alert(1)</script>', more } },
      { name: 'Location/leaked', data: { label: 'a secret' } },
    ];
    await client.commit.submit('ada', 'world', { message: '</p><h1>Not a heading</h1>', operations });
    await purge({ store, blobs: openTestBlobs() }, { repository: 'ada/world', record: 'Location/leaked' });
    const visited = await visit({ size: PHONE });
    const { page } = visited;
    await page.goto(`${url}/ada/world/record/${encodeURIComponent(name).replaceAll('%2F', '/')}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await page.getByText('abcU+202Edef').waitFor();
    await page.getByRole('button', { name: 'Show all 1,000,000 characters' }).waitFor();
    expect(await page.getByText('at the bottom').count()).toBe(0);
    await page.locator('summary', { hasText: '250 items' }).click();
    await page.getByRole('button', { name: 'Show more: 150 items left' }).click();
    await page.getByRole('button', { name: 'Show more: 50 items left' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).not.toMatch(/^\d/);
    await expectWellMade(visited);
    await page.goto(`${url}/ada/world/record/Location/leaked`);
    await page.getByText('was purged permanently').waitFor();
    await expectWellMade(visited);
  });
});
