// Reads of all kinds, each compared with what was sent and acknowledged.
import { CairnError, type ListedRecord, type RecordPage } from '@cairn/sdk';
import { callTool } from './mcp-call.ts';
import { getJson } from './plain-http.ts';
import type { KnownRecord } from './repository-model.ts';
import { acknowledgedCount, boundsAt, problemInList, problemOf, type Seen } from './sight.ts';
import { ask, type Place } from './world.ts';

type Read = (place: Place) => Promise<void>;

const MANY = 20;
const PAGES_MAX = 3;
const PAGE = 50;
const ORDERS = ['created', '-created', 'updated', '-updated', 'name'] as const;

export function pickRecord({ world, model }: Place, kind?: KnownRecord['kind']): KnownRecord | undefined {
  for (let tries = 0; tries < 10 && model.list.length > 0; tries++) {
    const record = world.random.pick(model.list);
    if (acknowledgedCount(record) > 0 && (kind === undefined || record.kind === kind)) return record;
  }
  return undefined;
}

/** Prefers the durable ID, because a name may belong to another record by the time of the request. */
export const wrefOf = ({ durableId, names }: KnownRecord) => durableId ?? names.at(-1) ?? '';

/** Skips the answer if the record was renamed during the read, because the name is then ambiguous. */
export async function unlessRenamed<Answer>(
  record: KnownRecord,
  read: () => Promise<Answer>,
): Promise<Answer | undefined> {
  const isKnown = record.durableId !== undefined;
  try {
    return await read();
  } catch (error) {
    const isGone = error instanceof CairnError && error.code === 'NOT_FOUND';
    if (isGone && !isKnown && record.names.length > 1) return undefined;
    throw error;
  }
}

const get =
  (way: 'sdk' | 'mcp'): Read =>
  async (place) => {
    const { world, model } = place;
    const record = pickRecord(place);
    if (record === undefined) return;
    const { orgName, repoName } = model;
    const least = acknowledgedCount(record);
    const [wref, includeRetracted] = [wrefOf(record), true];
    const call = () =>
      way === 'sdk'
        ? world.client.thing.get(orgName, repoName, wref, { includeRetracted })
        : callTool<ListedRecord>(world, 'thing_get', { orgName, repoName, wref, includeRetracted });
    const seen = await unlessRenamed(record, () => ask(world, way === 'sdk' ? 'get' : 'get mcp', call));
    if (seen === undefined) return;
    record.durableId ??= seen.durableId;
    world.findings.addFinding(problemOf(record, seen, { least, most: record.versions.length }));
  };

const getMany: Read = async (place) => {
  const { world, model } = place;
  const records = Array.from({ length: MANY }, () => pickRecord(place)).filter((one) => one?.durableId !== undefined);
  if (records.length === 0) return;
  const { head } = model;
  const wrefs = records.map((record) => record?.durableId ?? '');
  const { repoSeq, items } = await ask(world, 'get many', () =>
    world.client.thing.getMany(model.orgName, model.repoName, wrefs, { includeRetracted: true }),
  );
  expectAtLeast(place, { repoSeq, head });
  for (const [at, item] of items.entries()) {
    if (item !== null) world.findings.addFinding(problemInList(model, item, repoSeq));
    else world.findings.add('lost', `${model.name}: ${records[at]?.key} is not there at ${repoSeq}`);
  }
};

/** A read must include everything that was acknowledged before it, whichever process answers. */
function expectAtLeast({ world, model }: Place, { repoSeq, head }: { repoSeq: number; head: number }): void {
  if (repoSeq < head) world.findings.add('lost', `${model.name}: a read stood at ${repoSeq} after ${head} was told`);
}

const history: Read = async (place) => {
  const { world, model } = place;
  const record = pickRecord(place);
  if (record === undefined) return;
  const least = acknowledgedCount(record);
  const versions = await unlessRenamed(record, () =>
    ask(world, 'history', async () => {
      const found: Seen[] = [];
      for await (const one of world.client.thing.history(model.orgName, model.repoName, wrefOf(record)))
        found.push(one);
      return found;
    }),
  );
  if (versions === undefined) return;
  if (versions.length < least) {
    world.findings.add('lost', `${record.key} has ${versions.length} versions, and ${least} were acknowledged`);
  }
  for (const [at, seen] of versions.entries()) {
    const number = versions.length - at;
    world.findings.addFinding(problemOf(record, seen, { least: number, most: number }));
  }
};

const list: Read = async (place) => {
  const { world, model } = place;
  const [order, head] = [world.random.pick(ORDERS), model.head];
  const options = { shape: 'Item', order, limit: PAGE, includeRetracted: true };
  const pages = await ask(world, 'list', async () => {
    const found: RecordPage[] = [];
    for await (const page of world.client.thing.head(model.orgName, model.repoName, options).pages()) {
      found.push(page);
      if (found.length === PAGES_MAX) break;
    }
    return found;
  });
  for (const { repoSeq, items } of pages) {
    expectAtLeast(place, { repoSeq, head });
    if (repoSeq !== pages[0]?.repoSeq) world.findings.add('changed', `${model.name}: pages of one list differ`);
    for (const item of items) world.findings.addFinding(problemInList(model, item, repoSeq));
  }
  const ids = pages.flatMap(({ items }) => items.map(({ durableId }) => durableId));
  if (new Set(ids).size !== ids.length) world.findings.add('changed', `${model.name}: a list has a record twice`);
};

/** Filters by a value that exactly one version of one record has. */
const filter =
  (way: 'sdk' | 'rest' | 'mcp'): Read =>
  async (place) => {
    const { world, model } = place;
    const record = pickRecord(place, 'thing');
    const n = record?.versions[acknowledgedCount(record) - 1]?.n;
    if (record === undefined || n === undefined) return;
    const { head } = model;
    const page = await ask(world, `filter ${way}`, () => filterBy(place, way, n));
    expectAtLeast(place, { repoSeq: page.repoSeq, head });
    for (const item of page.items) world.findings.addFinding(problemInList(model, item, page.repoSeq));
    const { least, most } = boundsAt(record, page.repoSeq);
    const fits = record.versions.slice(Math.max(0, least - 1), most).map((version) => version.n === n);
    const isSure = fits.every((fit) => fit === fits[0]);
    if (isSure && page.items.length !== (fits[0] ? 1 : 0)) {
      const said = `${page.items.length} records at ${page.repoSeq} have ${n}, which ${record.key} ${fits[0] ? 'has' : 'has not'}`;
      world.findings.add(fits[0] ? 'lost' : 'phantom', `${model.name}: ${said}`);
    }
  };

async function filterBy({ world, model }: Place, way: 'sdk' | 'rest' | 'mcp', n: number): Promise<RecordPage> {
  const { orgName, repoName } = model;
  const shape = { shape: 'Item', includeRetracted: true };
  if (way === 'sdk') return await world.client.thing.query(orgName, repoName, { ...shape, where: [`n:eq:${n}`] });
  if (way === 'rest') {
    const query = new URLSearchParams({ shape: 'Item', includeRetracted: 'true', where: `n:eq:${n}` });
    return (await getJson(world, `/api/repos/${model.name}/query?${query}`)) as RecordPage;
  }
  const where = [{ fieldPath: 'n', op: 'eq', rhs: n }];
  return await callTool<RecordPage>(world, 'thing_query', { orgName, repoName, ...shape, where });
}

/** Matches a common name prefix: the result has all such records and no others. */
const match: Read = async (place) => {
  const { world, model } = place;
  const one = pickRecord(place, 'thing');
  if (one === undefined) return;
  const prefix = one.key.slice(0, -2);
  const { head } = model;
  const options = { shape: 'Item', match: `Item/${prefix}*`, limit: 500, includeRetracted: true };
  const { repoSeq, items } = await ask(world, 'match', () =>
    world.client.thing.head(model.orgName, model.repoName, options).page(),
  );
  expectAtLeast(place, { repoSeq, head });
  const found = new Set(items.map(({ durableId }) => durableId));
  for (const item of items) world.findings.addFinding(problemInList(model, item, repoSeq));
  for (let n = 0; n < 100; n++) {
    const record = model.records.get(`${prefix}${String(n).padStart(2, '0')}`);
    if (record?.kind !== 'thing' || boundsAt(record, repoSeq).least === 0) continue;
    if (record.durableId !== undefined && found.has(record.durableId)) continue;
    world.findings.add('lost', `${model.name}: ${record.key} is not in the list of ${options.match} at ${repoSeq}`);
  }
};

/** Searches for the key of a record, once the index has caught up. */
const search: Read = async (place) => {
  const { world, model } = place;
  const record = pickRecord(place);
  const upTo = record?.versions[0]?.upTo;
  if (record === undefined || upTo === undefined) return;
  const { repoSeq, items, searchedThrough } = await ask(world, 'search', () =>
    world.client.thing.search(model.orgName, model.repoName, record.key, { includeRetracted: true }).page(),
  );
  for (const item of items) world.findings.addFinding(problemInList(model, item, repoSeq));
  if ((searchedThrough ?? 0) >= upTo && items.length !== 1) {
    const said = `${items.length} records are found by ${record.key}, and the index is at ${searchedThrough}`;
    world.findings.add(items.length === 0 ? 'lost' : 'phantom', `${model.name}: ${said}`);
  }
};

const about: Read = async (place) => {
  const { world, model } = place;
  const claim = pickRecord(place, 'assertion');
  const target = claim?.about;
  if (claim === undefined || target === undefined) return;
  const page = await unlessRenamed(target, () =>
    ask(world, 'about', () =>
      world.client.thing.about(model.orgName, model.repoName, wrefOf(target), { limit: 500 }).page(),
    ),
  );
  if (page === undefined) return;
  for (const item of page.items) world.findings.addFinding(problemInList(model, item, page.repoSeq));
  if (!page.items.some(({ name }) => claim.names.includes(name))) {
    world.findings.add('lost', `${model.name}: ${claim.key} is not told about ${target.key} at ${page.repoSeq}`);
  }
};

export const READS: readonly Read[] = [
  ...[get('sdk'), get('sdk'), get('sdk'), get('mcp'), getMany, getMany, history, list, list],
  ...[filter('sdk'), filter('rest'), filter('mcp'), match, search, about],
];
