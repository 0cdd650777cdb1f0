// Fuzzes every route: /openapi.json must document the status, content type and body of each answer.
// `CAIRN_TEST_CONTRACT_TRIES` sends more requests.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Random } from '../../../../test/support/random.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { amount } from '../../../../test/support/suite.ts';
import type { Engine } from '../engine/database.ts';

const TRIES = amount('CONTRACT_TRIES', { short: 15, long: 300 });

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
interface Operation {
  readonly parameters: readonly { name: string; in: 'path' | 'query'; schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly Error: object } };
}

const ERROR_REFERENCE = '{"$ref":"#/components/schemas/Error"}';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  org: ['ada', 'nobody'],
  orgName: ['ada', 'nobody'],
  repo: ['world', 'nowhere'],
  repoName: ['world', 'nowhere'],
  wref: ['Place/cave', 'Place/cave@v1', 'Place', 'nothing'],
  page: ['writing', 'writing.md', 'nothing'],
  folder: ['reference', 'images', 'nothing'],
  streamId: ['s', '~'],
};
const ODD = [
  'x',
  '%00',
  '%E2%80%AE',
  'a'.repeat(300),
  'b'.repeat(20_000),
  '-1',
  "'; --",
  '%ff',
  '{}',
  'true',
  '0',
  '99999999999999999999',
];

function sampleOf(random: Random, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick([...schema.enum]);
  if (schema.type === 'integer' || schema.type === 'number') return random.pick([0, 1, 5, -1, 1e9]);
  if (schema.type === 'boolean') return random.pick([true, false]);
  if (schema.type === 'array') return [];
  if (schema.type !== 'object') return random.pick(['ada', 'Place/cave', 'x', '']);
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name]) => schema.required?.includes(name) || random.below(100) < 50,
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(random, field)]));
}

function bodyOf(random: Random, content: Content): { body?: string; type?: string } {
  const [type, { schema = {} }] = random.pick(Object.entries(content));
  if (random.below(100) < 10) return {};
  if (random.below(100) < 15) return { type: 'text/plain', body: 'x' };
  if (random.below(100) < 15) return { type, body: random.pick(['{', '[]', 'null', '"x"', '{"a":{"a":1}}', '\u0000']) };
  const sample = sampleOf(random, schema);
  if (type.includes('urlencoded'))
    return { type, body: new URLSearchParams(sample as Record<string, string>).toString() };
  return { type, body: JSON.stringify(sample) };
}

function requestOf(random: Random, path: string, { parameters, requestBody }: Operation) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    random.below(100) < 80 ? random.pick(NAMES[name] ?? ['x']) : random.pick(ODD),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random.below(100) < 30)
    .map(({ name, schema }) => {
      const value = random.below(100) < 60 ? String(sampleOf(random, schema)) : random.pick(ODD);
      return `${name}=${value.includes('%') ? value : encodeURIComponent(value)}`;
    });
  if (random.below(100) < 10) query.push('unknown=1');
  return {
    target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    ...bodyOf(random, requestBody?.content ?? { 'text/plain': {} }),
  };
}

async function prepare(engine: Engine) {
  const { url, store } = await startTestServer(engine, { CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '0' });
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'world', { visibility: 'public' });
  const operations = [
    { kind: 'shape', name: 'Place', data: { fields: {} } },
    { name: 'Place/cave', data: {} },
  ];
  await client.commit.submit('ada', 'world', { operations });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return { url, token, document };
}

function headersOf(random: Random, { url, token, type }: { url: string; token: string; type: string | undefined }) {
  const credential = random.pick(['', `Bearer ${token}`, `Bearer ${token}`, 'Bearer nonsense', 'Basic eA==']);
  const accept = random.pick(['text/html', 'application/json', 'text/event-stream', 'image/png']);
  return {
    ...(type !== undefined && { 'content-type': type }),
    ...(credential !== '' && { authorization: credential }),
    ...(random.below(2) === 0 && { origin: url }),
    ...(random.below(3) === 0 && { accept }),
  };
}

async function findUndocumented(
  answer: Response,
  { responses }: Operation,
  error: object,
): Promise<string | undefined> {
  const type = answer.headers.get('content-type');
  const text = await answer.text();
  const content = responses[answer.status]?.content;
  if (content === undefined) return `the status ${answer.status}: ${text.slice(0, 200)}`;
  if (type === null) return text === '' ? undefined : `${answer.status} without a content type`;
  if (content[type] === undefined) return `${answer.status} as ${type}`;
  const { schema } = content[type];
  if (schema === undefined || type !== 'application/json') return undefined;
  const whole = JSON.stringify(schema).replaceAll(ERROR_REFERENCE, JSON.stringify(error));
  const read = z.fromJSONSchema(JSON.parse(whole)).safeParse(JSON.parse(text));
  return read.success ? undefined : `${answer.status}: ${z.prettifyError(read.error)} in ${text.slice(0, 200)}`;
}

describe.each(UPPER_ENGINES)('the description on %s', (engine) => {
  it('documents the status, content type and body of every answer', async () => {
    const { url, token, document } = await prepare(engine);
    const { paths, components } = document;
    const random = new Random(TEST_SEED);
    const undocumented: string[] = [];
    const statuses = new Set<number>();
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        for (let n = 0; n < TRIES; n++) {
          const { target, body, type } = requestOf(random, path, operation);
          const answer = await fetch(`${url}${target}`, {
            redirect: 'manual',
            method: method.toUpperCase(),
            headers: headersOf(random, { url, token, type }),
            ...(method !== 'get' && body !== undefined && { body }),
          });
          statuses.add(answer.status);
          const problem = await findUndocumented(answer, operation, components.schemas.Error);
          if (problem !== undefined) undocumented.push(`${method.toUpperCase()} ${target} is answered ${problem}`);
        }
      }
    }
    expect(undocumented).toEqual([]);
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 415]));
  });
});
