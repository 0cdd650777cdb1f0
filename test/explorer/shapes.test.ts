// Shapes: the list, their references, fields and versions, and the difference between two versions.
import type { CairnClient } from '@cairn/sdk';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeValley } from '../../packages/web/src/features/home/valley.ts';
import { detail, expectWellMade, openExplorer, SIZES } from '../support/explorer.ts';
import { settingsOf } from '../support/server.ts';
import { preparedLocation } from '../support/store.ts';

const valley = (client: CairnClient) => writeValley(client, 'ada', { visibility: 'public' });

async function revised(client: CairnClient): Promise<void> {
  const { shape } = client;
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await shape.create('ada', 'world', 'Person', { fields: { name: 'string' } });
  await shape.create('ada', 'world', 'Location', { fields: { x: 'number', label: 'string' }, description: 'A place' });
  await shape.revise('ada', 'world', 'Location', {
    description: 'A place that you can walk to',
    fields: {
      x: { type: 'number', minimum: 0, maximum: 9, indexed: true, description: 'How far east' },
      'label?': 'string',
      owner: { type: 'wref', shape: 'Person' },
      'position?': { y: 'number', 'seen?': ['string'] },
    },
  });
  await client.commit.submit('ada', 'world', {
    operations: [
      { name: 'Person/mara', data: { name: 'Mara' } },
      { name: 'Location/cave', data: { x: 3, owner: 'Person/mara' } },
    ],
  });
  await shape.revise('ada', 'world', 'Location', { fields: { x: 'number', links: [{ to: 'wref' }] } });
}

describe.each(SIZES)('the shapes on a $device', ({ size }) => {
  it('are listed, with which refers to which in a diagram and in words', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley/shapes`);
    await page.getByRole('heading', { level: 1, name: 'Shapes' }).waitFor();
    expect(await page.title()).toBe('Shapes · ada/valley · Cairn');
    await page.getByRole('row', { name: /Person 3 records of Person 1 Somebody who lives in the valley/ }).waitFor();
    const told = async () => {
      const texts = await page.locator('ul.shape-references li').allInnerTexts();
      return texts.map((text) => text.replaceAll(/\s+/g, ' '));
    };
    await expect
      .poll(told)
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^Person\.home → .*Location$/),
          expect.stringMatching(/^Walk\.who → .*Person$/),
          expect.stringMatching(/^Arc\.from → .*any shape$/),
          'Belief is about Location',
          'Reply is about Belief',
        ]),
      );
    const diagram = page.getByRole('region', { name: 'Diagram of the shapes' });
    expect((await diagram.getByRole('link').allInnerTexts()).sort()).toEqual([
      'Arc',
      'Belief',
      'Location',
      'Person',
      'Reply',
      'Walk',
    ]);
    expect(await diagram.locator('.line.about').count()).toBe(2);
    await page.getByText('Dotted lines connect assertions to the records that they are about.').waitFor();
    await expectWellMade(visitor);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectWellMade(visitor);
    await diagram.getByRole('link', { name: 'Walk' }).focus();
    expect(await diagram.locator('.line.pointed').count()).toBe(2);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/ada\/valley\/shapes\/Walk$/);
    await page.getByRole('heading', { level: 1, name: 'Walk' }).waitFor();
  });

  it('show their fields, their indexes and what refers to them', async () => {
    const { url, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    // Built-in shapes are records too.
    await page.goto(`${url}/ada/valley/shapes/Arc?at=7`);
    await page.getByRole('link', { name: 'View as record' }).click();
    await page.waitForURL(/record\/Arc\?at=7$/);
    const current = page.getByRole('navigation', { name: 'Repository' }).locator('[aria-current=page]');
    await expect.poll(() => current.allInnerTexts()).toEqual(['Shapes']);
    await page.getByRole('link', { name: 'View as shape' }).click();
    await page.waitForURL(/shapes\/Arc\?at=7$/);
    await page.goto(`${url}/ada/valley/shapes/Location`);
    await page.getByRole('heading', { level: 1, name: 'Location' }).waitFor();
    const fields = page.getByRole('region', { name: 'Table of fields' });
    await fields.getByRole('row', { name: 'x number required' }).waitFor();
    await fields.getByRole('row', { name: 'label string optional' }).waitFor();
    await fields.getByRole('row', { name: 'danger number required 0 to 1 yes 0 is safe, 1 is deadly' }).waitFor();
    await fields.getByRole('row', { name: 'closed string optional' }).waitFor();
    await page.locator('ul.field-changes', { hasText: 'closed' }).getByText('string, optional').waitFor();
    await page.getByRole('link', { name: 'Person.home' }).waitFor();
    await page.getByText('As JSON').click();
    await page.getByText('"danger": {').waitFor();
    await expectWellMade(visitor);
    await page.getByRole('link', { name: '7 records' }).click();
    await page.waitForURL(/\/records\?shape=Location$/);
  });

  detail('tell what their assertions are about, and what is said about their records', async () => {
    const { url, client, visit } = await openExplorer(valley);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/valley/shapes/Belief`);
    await page.getByText('Its assertions are about records of: Location (2 assertions)').waitFor();
    await page.getByText('Its records are the subject of assertions of: Reply (1 assertion)').waitFor();
    const diagram = page.getByRole('region', { name: 'Diagram of the shapes' });
    await expect.poll(() => diagram.locator('.line.about').count()).toBe(2);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await expectWellMade(visitor);
    const operations = [{ name: 'Belief/mara-is-brave', about: 'Person/mara', data: { safe: true } }];
    await client.commit.submit('ada', 'valley', { operations });
    await page
      .getByText('Its assertions are about records of: Location (2 assertions), Person (1 assertion)')
      .waitFor();
    await page.getByText('Its assertions are about').getByRole('link', { name: 'Location' }).click();
    await page.getByText('Its records are the subject of assertions of: Belief (2 assertions)').waitFor();
    await page.getByText('Get this by REST, SDK or CLI').click();
    await page.getByText('The latest assertions of all shapes').waitFor();
    expect(await page.getByText('Its latest assertions').count()).toBe(0);
    await page.goto(`${url}/ada/valley/shapes/Belief?at=6`);
    await page.getByText('Its assertions are about records of: Location (1 assertion)').waitFor();
    await page.goto(`${url}/ada/valley/shapes/Walk`);
    await page.getByRole('heading', { name: 'Versions' }).waitFor();
    expect(await page.getByText('Its assertions are about').count()).toBe(0);
  });

  detail('say that an index is being built while it is, and by themselves that it is ready', async () => {
    const location = await preparedLocation('postgres');
    if (location.engine !== 'postgres') throw new Error('asked for postgres');
    const { url, client, visit } = await openExplorer(revised, { environment: settingsOf(location) });
    const visitor = await visit({ size });
    const { page } = visitor;
    const sql = postgres(location.url, { max: 1 });
    onTestFinished(() => sql.end());
    await page.goto(`${url}/ada/world/shapes/Person`);
    const field = page.getByRole('region', { name: 'Table of fields' }).getByRole('row', { name: /^name/ });
    await field.waitFor();
    await sql.begin(async (holding) => {
      // The lock blocks writers of the index, here only the index build.
      await holding`lock table field_index in share mode`;
      const fields = { name: { type: 'string', indexed: true } };
      await client.shape.revise('ada', 'world', 'Person', { fields });
      const waiting = () =>
        holding`select pid from pg_locks where relation = 'field_index'::regclass and not granted`.then(
          ({ length }) => length,
        );
      await expect.poll(waiting).toBeGreaterThan(0);
      await field.getByText('building').waitFor();
      await expectWellMade(visitor);
    });
    await field.getByText('yes').waitFor();
  });

  it('tell what changed between two versions, chosen by the keyboard and kept in the address', async () => {
    const { url, visit } = await openExplorer(revised);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/world/shapes/Location`);
    const changes = page.locator('ul.field-changes');
    const told = async () => (await changes.locator('li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    await changes.getByText('links[].to').waitFor();
    await page.getByLabel('to version').focus();
    await page.keyboard.press('2');
    await page.waitForURL(/version=2/);
    await page.getByLabel('From version').selectOption('1');
    await page.waitForURL(/against=1/);
    await changes.getByText('owner').waitFor();
    expect(await told()).toEqual([
      expect.stringMatching(/^changed the description of the shape A place → .*A place that you can walk to$/),
      'added owner reference',
      expect.stringMatching(/^changed x constraints: none → .*0 to 9 index: .* description: none → .*How far east$/),
      expect.stringMatching(/^changed label presence: required → .*optional$/),
      'added position object, optional',
      'added position.y number',
      'added position.seen array of string, optional',
    ]);
    const difference = page.getByRole('region', { name: 'Compare versions' });
    await difference.getByText('A reference (wref) points to another record').waitFor();
    await page.getByRole('heading', { name: 'Fields of version 2' }).waitFor();
    const note = page.getByText('This is version 2, not the newest.');
    expect(await note.getByRole('link', { name: 'View version 3, the newest' }).getAttribute('href')).toBe(
      '/ada/world/shapes/Location',
    );
    await page.getByRole('row', { name: /^owner reference to / }).waitFor();
    await expectWellMade(visitor);
    const before = await told();
    await page.reload();
    await changes.getByText('owner').waitFor();
    expect(await told()).toEqual(before);
    const versions = page.getByRole('region', { name: 'Table of versions' });
    await expect.poll(() => versions.getByRole('row').count()).toBe(4);
    await versions.getByRole('link', { name: 'Commit 3' }).click();
    await page.waitForURL(/\/commits\/3$/);
  });

  detail('are as they were at an older sequence', async () => {
    const { url, visit } = await openExplorer(revised);
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/world/shapes/Location?at=2`);
    await page.getByRole('row', { name: 'label string required' }).waitFor();
    const versions = page.getByRole('region', { name: 'Table of versions' }).getByRole('row');
    await expect.poll(() => versions.count()).toBe(2);
    expect(await page.getByRole('heading', { name: 'Compare versions' }).count()).toBe(0);
    await page.goto(`${url}/ada/world/shapes?at=1`);
    await page.getByRole('row', { name: /^Person/ }).waitFor();
    expect(await page.getByRole('row', { name: /^Location/ }).count()).toBe(0);
    await page.getByText('No shape has reference fields.').waitFor();
  });

  detail('are shown under the name that they have, by any that they had', async () => {
    const { url, client, visit } = await openExplorer(revised);
    await client.shape.rename('ada', 'world', 'Location', 'Place');
    const { page } = await visit({ size });
    await page.goto(`${url}/ada/world/shapes/Location`);
    await page.getByRole('heading', { level: 1, name: 'Place' }).waitFor();
    await page.getByText('Formerly Location.').waitFor();
    expect(page.url()).toBe(`${url}/ada/world/shapes/Place`);
    await page.goto(`${url}/ada/world/shapes/Place?at=2`);
    await page.getByRole('heading', { level: 1, name: 'Location' }).waitFor();
    await page.getByText('Now called Place.').waitFor();
    await page.getByRole('row', { name: 'label string required' }).waitFor();
  });

  detail('follow what is written, and say what is retracted', async () => {
    const { url, client, visit } = await openExplorer(revised);
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/world/shapes`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.shape.create('ada', 'world', 'Town', { fields: { mayor: { type: 'wref', shape: 'Person' } } });
    await page.locator('tr.changed', { hasText: 'Town' }).waitFor();
    await page.getByRole('link', { name: 'Town.mayor' }).waitFor();
    await page.goto(`${url}/ada/world/shapes/Town`);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await client.shape.retract('ada', 'world', 'Town', { reason: 'There are no towns' });
    await page.getByText('There are no towns').waitFor();
    await page.locator('h1', { hasText: 'retracted' }).waitFor();
    await expectWellMade(visitor);
  });

  detail('say so where there is none', async () => {
    const { url, visit } = await openExplorer((client) => client.repo.create('ada', 'empty', { visibility: 'public' }));
    const visitor = await visit({ size });
    const { page } = visitor;
    await page.goto(`${url}/ada/empty/shapes`);
    await page.getByText('There are no shapes yet.').waitFor();
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/empty/shapes/Nowhere`);
    await page
      .getByRole('alert')
      .getByText('The shape Nowhere does not exist in ada/empty, or you do not have access.')
      .waitFor();
    await page.getByRole('link', { name: 'View all shapes' }).click();
    await page.getByText('There are no shapes yet.').waitFor();
  });
});

detail('tells of very many assertions what the latest are about, and says so', async () => {
  const { url, visit } = await openExplorer(async (client) => {
    await client.repo.create('ada', 'notes', { visibility: 'public' });
    await client.commit.submit('ada', 'notes', {
      operations: [
        { kind: 'shape', name: 'Person', data: { fields: {} } },
        { kind: 'shape', name: 'Note', data: { fields: {} } },
        { name: 'Person/ilan', data: {} },
        ...Array.from({ length: 201 }, (_, index) => ({ name: `Note/n${index}`, about: 'Person/ilan', data: {} })),
      ],
    });
  });
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(`${url}/ada/notes/shapes/Note`);
  await page
    .getByText(
      'Its assertions are about records of: Person (200 assertions). Only its latest 200 assertions are counted.',
    )
    .waitFor();
  await page.goto(`${url}/ada/notes/shapes`);
  await page.getByText('References from assertions are based on the latest 200 assertions.').waitFor();
  await expectWellMade(visitor);
});

describe('very many shapes', () => {
  detail('are listed without a diagram that nobody could read', async () => {
    const { url, visit } = await openExplorer(async (client) => {
      await client.repo.create('ada', 'wide', { visibility: 'public' });
      const operations = Array.from({ length: 200 }, (_, index) => ({
        kind: 'shape',
        name: `S${index}`,
        data: { fields: { next: { type: 'wref', shape: `S${(index + 1) % 200}` } } },
      }));
      await client.commit.submit('ada', 'wide', { operations });
    });
    const visitor = await visit();
    const { page } = visitor;
    await page.goto(`${url}/ada/wide/shapes`);
    await page.getByText('200 shapes are too many for a diagram').waitFor();
    await page.getByRole('button', { name: 'Show more: 100 references left' }).waitFor();
    await expectWellMade(visitor);
    await page.goto(`${url}/ada/wide/shapes/S7`);
    const diagram = page.getByRole('region', { name: 'Diagram of the shapes' });
    await diagram.getByRole('link', { name: 'S8' }).waitFor();
    expect((await diagram.getByRole('link').allInnerTexts()).sort()).toEqual(['S6', 'S7', 'S8']);
  });
});
