// Queries over the records, each with the answer that this data set must give.
import assert from 'node:assert/strict';
import type { CairnClient } from '@cairn/sdk';

export interface Place {
  readonly client: CairnClient;
  readonly org: string;
  readonly repo: string;
}

export async function askAll(place: Place): Promise<void> {
  await howMany(place);
  await strongest(place);
  await saidOfOne(place);
  await inOneRegion(place);
  await whoMeasured(place);
  await onOneDay(place);
  await noQuakes(place);
}

async function howMany({ client, org, repo }: Place): Promise<void> {
  const { shapes } = await client.repo.describe(org, repo);
  const counts = Object.fromEntries(shapes.map(({ name, count }) => [name, count]));
  const { Network, Event, Magnitude, Felt } = counts;
  assert.deepEqual({ Network, Event, Magnitude, Felt }, { Network: 12, Event: 1_707, Magnitude: 1_707, Felt: 121 });
  console.log(`${Event} events in ${counts.Region} regions, ${Felt} of them felt by people`);
}

/** Filters assertions by an indexed field, and then reads the events that they are about. */
async function strongest({ client, org, repo }: Place): Promise<void> {
  const { items } = await client.thing.query(org, repo, { shape: 'Magnitude', where: ['value:gte:6'] });
  const about = items.map(({ aboutWref }) => String(aboutWref)).sort();
  const ids = ['us1000cdn0', 'us1000ce9r', 'us1000cfn6', 'us1000chhc', 'us2000crmu'];
  assert.deepEqual(
    about,
    ids.map((id) => `Event/${id}@v1`),
  );
  const events = await client.thing.getMany(org, repo, about);
  for (const event of events.items) console.log('Magnitude 6 or more:', event?.data);
}

async function saidOfOne({ client, org, repo }: Place): Promise<void> {
  const { items } = await client.thing.about(org, repo, 'Event/us2000crmu');
  const said = Object.fromEntries(items.map(({ name, data }) => [name, data]));
  const magnitude = { value: 6.1, scale: 'mww', by: 'Network/us@v1', reviewed: true };
  assert.deepEqual(said['Magnitude/us2000crmu'], magnitude);
  assert.equal((said['Felt/us2000crmu'] as { reports: number }).reports, 438);
  assert.equal(items.length, 2);
  console.log('Of the one in Afghanistan, two things are said: how strong it was, and that 438 people felt it');
}

/** A reference can be found from its target too. */
async function inOneRegion({ client, org, repo }: Place): Promise<void> {
  const { items, nextCursor } = await client.thing.refs(org, repo, 'Region/Taiwan', { direction: 'in', limit: 100 });
  assert.equal(nextCursor, undefined);
  assert.equal(items.length, 20);
  assert(items.every(({ wref, path }) => String(wref).startsWith('Event/') && path === '/region'));
  console.log(`${items.length} events in Taiwan`);
}

async function whoMeasured({ client, org, repo }: Place): Promise<void> {
  const where = [{ fieldPath: 'by', op: 'eq' as const, rhs: 'Network/hv' }];
  const { count } = await client.thing.count(org, repo, { shape: 'Magnitude', where });
  assert.equal(count, 46);
  console.log(`${count} magnitudes by the observatory on Hawaii`);
}

async function onOneDay({ client, org, repo }: Place): Promise<void> {
  const where = [`at:gte:${Date.UTC(2018, 1, 6)}`, `at:lt:${Date.UTC(2018, 1, 7)}`];
  const { count } = await client.thing.count(org, repo, { shape: 'Event', where });
  console.log(`${count} events on 6 February 2018`);
  assert.equal(count, 213);
}

async function noQuakes({ client, org, repo }: Place): Promise<void> {
  const found: string[] = [];
  for await (const { name } of client.thing.query(org, repo, { shape: 'Event', where: ['type:ne:earthquake'] })) {
    found.push(name);
  }
  assert.equal(found.length, 28);
  console.log(`${found.length} were explosions and quarry blasts`);
}
