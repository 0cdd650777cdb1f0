// The instruments of the benchmarks: round trips counted on the wire, and a client that rejects wrong answers.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { requestText } from '../bench/load-text.ts';
import { startLoad } from '../bench/process.ts';
import { countWire } from '../bench/wire-count.ts';

it('counts round trips on the wire, and leaves out what a server does by itself', async () => {
  const wire = await countWire(inject('postgresUrl'));
  const sql = postgres(wire.url, { max: 1, onnotice: () => {} });
  const other = postgres(wire.url, { max: 1 });
  onTestFinished(async () => {
    await sql.end();
    await other.end();
    wire.close();
  });
  const counted = async (work: () => Promise<unknown>) => {
    const before = wire.count();
    await work();
    return wire.count() - before;
  };
  // The driver queries the server's types on its first connection.
  await Promise.all([sql`select 1`, other`select 1`]);
  const padded = 'x'.repeat(200_000);
  expect(await counted(() => sql`select ${1}::int as one, ${padded} as large`)).toBe(1);
  const together = () => Promise.all([1, 2, 3].map((n) => sql`select ${n}::int as n`));
  await together();
  expect(await counted(together)).toBe(1);
  expect(await counted(() => Promise.all([together(), other`select 1`]))).toBe(1);
  expect(await counted(() => together().then(() => other`select 1`))).toBe(2);
  expect(await counted(() => sql.begin((tx) => tx`select ${4}::int as n`))).toBe(3);
  expect(await counted(() => sql`select pg_notify('bench', ${'x'})`)).toBe(0);
  await sql`create temporary table search_state (n int)`;
  await sql`update search_state set n = 1`;
  // From here on, the connection counts as the search index's.
  expect(await counted(() => sql`select ${1}::int as one`)).toBe(0);
});

it.each([
  { name: 'of a length', body: (path: string) => [`at ${path}`] },
  { name: 'in chunks', body: (path: string) => [`at ${path}`, 'x'.repeat(100_000)] },
])('checks answers $name, and fails at the first wrong one', async ({ body }) => {
  let served = 0;
  const server = createServer((request, response) => {
    served++;
    const parts = body(request.url ?? '');
    if (parts.length === 1) response.setHeader('content-length', parts.join('').length);
    for (const part of parts) response.write(part);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const load = startLoad();
  onTestFinished(async () => {
    await load.stop();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const request = (n: number) => ({ text: requestText({ path: `/${n}` }), expected: `at /${n}` });
  const requests = Array.from({ length: 40 }, (_, n) => request(n));
  expect(await load.measure({ port, connections: 4, requests })).toMatchObject({ answers: 40 });
  expect(served).toBe(40);
  const { answers } = await load.measure({ port, connections: 4, requests, ms: 50 });
  expect(answers).toBeGreaterThan(0);
  const wrong = { ...request(1), expected: 'at /2' };
  await expect(load.measure({ port, connections: 1, requests: [wrong] })).rejects.toThrow('Expected at /2');
});
