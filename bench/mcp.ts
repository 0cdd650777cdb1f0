// Measures `thing_query` by MCP, in both protocols and by tRPC, on both engines, beside a bare server that runs the same statements and
// sends the same body. What a call takes of a processor is measured too, because it does not depend on who else is on the machine.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { onBothEngines } from './engines.ts';
import type { Figure } from './figure.ts';
import { type LoadProcess, processorSeconds, type ServerProcess, startBare, startCairn, startLoad } from './process.ts';
import { type LoadedRepository, loadRepository } from './read-data.ts';
import type { LoadResult } from './read-load.ts';
import type { SentRequest } from './read-recording.ts';
import { sized } from './size.ts';

const RUNS = sized({ full: 5, quick: 2 });
const RUN_MS = sized({ full: 1_500, quick: 100 });
// Code is compiled while it runs: a call takes twice as long in the first 20,000 as later.
const WARM_UP = { ms: sized({ full: 10_000, quick: 200 }), requests: 20_000 };
const CONNECTIONS = 16;
const RECORDS = sized({ full: 10_000, quick: 1_000 });
const CALLS_A_SECOND_MIN = 1_000;
const METRICS_TOKEN = 'the metrics of the benchmarks, which nobody else reads';

const QUERY = { orgName: 'bench', repoName: 'world', match: 'Reading/r500' };
const MODERN = '2026-07-28';

interface Call extends SentRequest {
  readonly name: string;
  readonly atLeast?: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const MCP_TYPES = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };

function toolCall(meta: object): string {
  const params = { name: 'thing_query', arguments: QUERY, ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

const CALLS: readonly Call[] = [
  {
    name: `thing_query by MCP ${MODERN}`,
    path: '/mcp',
    headers: { ...MCP_TYPES, 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'thing_query' },
    json: toolCall({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    atLeast: CALLS_A_SECOND_MIN,
  },
  {
    name: 'thing_query by MCP 2025-11-25',
    path: '/mcp',
    headers: { ...MCP_TYPES, 'mcp-protocol-version': '2025-11-25' },
    json: toolCall({}),
    atLeast: CALLS_A_SECOND_MIN,
  },
  { name: 'the same by tRPC', path: '/trpc/thing.query', headers: JSON_TYPE, json: JSON.stringify(QUERY) },
];

interface Bench extends LoadedRepository {
  readonly engine: Engine;
  readonly cairn: ServerProcess;
  readonly bare: ServerProcess;
  readonly load: LoadProcess;
}

const SERVERS = ['cairn', 'bare'] as const;

export async function mcpFigures(): Promise<Figure[]> {
  return await onBothEngines(figuresOn, { durable: false });
}

async function figuresOn(engine: Engine, server: string | undefined): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, sent: CALLS, server });
  const cairn = await startCairn({ ...loaded.settings, CAIRN_METRICS_TOKEN: METRICS_TOKEN });
  const bare = await startBare({ location: loaded.location, requests: loaded.requests });
  const load = startLoad();
  try {
    const bench = { ...loaded, engine, cairn, bare, load };
    const figures: Figure[] = [];
    for (const call of CALLS) figures.push(...(await compare(bench, call)));
    return figures;
  } finally {
    await Promise.all([load.stop(), bare.stop(), cairn.stop()]);
    loaded.remove();
  }
}

async function compare(bench: Bench, { name, atLeast, ...sent }: Call): Promise<Figure[]> {
  const measured = { cairn: [] as number[], bare: [] as number[] };
  const processorMs: number[] = [];
  for (const server of SERVERS) await answered(bench, { ...sent, ...WARM_UP, server });
  // In turns, so that all meet the same noise.
  for (let run = 0; run < RUNS; run++) {
    const before = await processorSeconds(bench.cairn, METRICS_TOKEN);
    const { perSecond, answers } = await answered(bench, { ...sent, ms: RUN_MS, server: 'cairn' });
    processorMs.push((1_000 * ((await processorSeconds(bench.cairn, METRICS_TOKEN)) - before)) / answers);
    measured.cairn.push(perSecond);
    measured.bare.push((await answered(bench, { ...sent, ms: RUN_MS, server: 'bare' })).perSecond);
  }
  return [
    {
      name: `${name}, ${CONNECTIONS} connections, ${bench.engine}`,
      unit: 'a second',
      values: measured.cairn,
      bare: measured.bare,
      // PostgreSQL takes its own part of the processors, and a round trip for each statement.
      ...(atLeast !== undefined && bench.engine === 'sqlite' && { atLeast }),
    },
    { name: `${name}, processor time of a call, ${bench.engine}`, unit: 'ms', values: processorMs },
  ];
}

interface Run extends SentRequest {
  readonly server: (typeof SERVERS)[number];
  readonly ms: number;
  readonly requests?: number;
}

async function answered(bench: Bench, { server, ...request }: Run): Promise<LoadResult> {
  const { port } = bench[server];
  const result = await bench.load.measure({
    ...request,
    port,
    token: bench.token,
    connections: CONNECTIONS,
  });
  if (result.refused > 0) throw new Error(`${request.path} was refused ${result.refused} times by ${server}`);
  return result;
}
