// Runs a whole task with MCP tools alone. It finds a repository, inspects it, and adds shapes, records and assertions.
// It fixes refused operations by their error message, and then reads the assertions about a record.
//
// A model would decide at each step. Here, the decisions are hard-coded and use only the answers of the tools.
import assert from 'node:assert/strict';
import { mend } from './mend.ts';
import { connectTools, ToolError, type Tools } from './tools.ts';

interface Place {
  readonly orgName: string;
  readonly repoName: string;
}

interface Operation {
  readonly operation: 'add';
  readonly name: string;
  readonly about?: string;
  readonly data: Record<string, unknown>;
}

const PLANTS = 20;
const OBSERVATIONS = 10;

async function findRepository({ call }: Tools, topic: string): Promise<Place> {
  type Listed = { items: { orgName: string; name: string; description: string | null }[]; nextCursor?: string };
  let cursor: string | undefined;
  do {
    const page: Listed = await call('repo_list', { ...(cursor && { cursor }) });
    const found = page.items.find(({ description }) => description?.toLowerCase().includes(topic));
    if (found !== undefined) return { orgName: found.orgName, repoName: found.name };
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  throw new Error(`No repository says that it is about ${topic}.`);
}

/** Names of a sample record of each shape: enough to refer to one, and to see the naming scheme. */
async function samplesOf({ call }: Tools, place: Place): Promise<Map<string, string>> {
  type Described = { shapes: { name: string; sample?: { name: string } | null }[] };
  const { shapes } = await call<Described>('repo_describe', { ...place });
  return new Map(shapes.map(({ name, sample }) => [name, sample?.name ?? '']));
}

const SHAPES = {
  Plant: { species: 'string', heightCm: { type: 'number', minimum: 0, indexed: true }, bed: 'wref' },
  Observation: { healthy: 'boolean', note: 'string' },
};

/** The height of one plant includes the unit, which its shape refuses. */
function operationsOn(bed: string): Operation[] {
  const plants = Array.from({ length: PLANTS }, (_, n): Operation => {
    const heightCm = n === 7 ? '31 cm' : 10 + n;
    const species = n % 2 === 0 ? 'tomato' : 'basil';
    return { operation: 'add', name: `Plant/p${n}`, data: { species, heightCm, bed } };
  });
  const observations = Array.from({ length: OBSERVATIONS }, (_, n): Operation => {
    const data = { healthy: n % 3 !== 0, note: n % 3 === 0 ? 'Yellow leaves.' : 'Grows well.' };
    return { operation: 'add', name: `Observation/p${n}`, about: `Plant/p${n}`, data };
  });
  return [...plants, ...observations];
}

/** Sends all operations. If some are refused, fixes them by the error message and sends all of them again. */
async function submit({ call }: Tools, place: Place, operations: Operation[]): Promise<{ repoSeq: number }> {
  const commit = { ...place, message: 'Plants, and how they are' };
  try {
    return await call('commit_submit', { ...commit, operations });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    console.log(`Refused: ${error.message}`);
    return await call('commit_submit', { ...commit, operations: mend(operations, error.message) });
  }
}

const { CAIRN_URL = 'http://localhost:8787', CAIRN_TOKEN } = process.env;
const tools = await connectTools(CAIRN_URL, CAIRN_TOKEN);
console.log(`The server has ${tools.names.length} tools: ${tools.names.join(', ')}.`);

const place = await findRepository(tools, 'greenhouse');
const samples = await samplesOf(tools, place);
console.log(`${place.orgName}/${place.repoName} has ${[...samples.keys()].join(', ')}.`);
const bed = samples.get('Bed');
assert(bed, 'the greenhouse has no beds to plant in');

for (const [name, fields] of Object.entries(SHAPES)) await tools.call('shape_set', { ...place, name, fields });
const { repoSeq } = await submit(tools, place, operationsOn(bed));
const { count } = await tools.call<{ count: number }>('thing_query', { ...place, shape: 'Plant', count: true });
assert.equal(count, PLANTS);
console.log(`Sequence ${repoSeq}: ${count} plants in ${bed}.`);

type Said = { items: { name: string; data: { note: string } }[] };
const { items } = await tools.call<Said>('thing_about', { ...place, wref: 'Plant/p3' });
console.log(`About Plant/p3: ${items.map(({ name, data }) => `${name} says "${data.note}"`).join('; ')}`);
assert.equal(items.length, 1);
await tools.close();
