// Records of the comparison, and the requests for them to Cairn, the lean and the bare server.
import type { LoadRequest } from './load.ts';
import { requestText, type Sent } from './load-text.ts';
import type { Contents } from './read-data.ts';
import { sizedBy } from './size.ts';

export const RECORDS = sizedBy('BENCH_RECORDS', { full: 20_000, quick: 1_000 });
export const PAGE = 50;
/** A prime, so that every record gets a different number. */
const STEP = 7_919;

/** Values of new records are larger, so that they fall outside all ranges. */
export const recordData = (n: number) => ({ label: `reading ${n}`, x: n < RECORDS ? (n * STEP) % RECORDS : n });

export const CONTENTS: Contents = {
  fields: { label: 'string', x: { type: 'number', indexed: true } },
  data: recordData,
  revised: () => recordData(1),
};

const recordByNumber = new Map(Array.from({ length: RECORDS }, (_, n) => [recordData(n).x, n]));
const labelText = (n: number) => `"label":"reading ${n}"`;
/** Only the right answer contains it: the label of the last record. */
export const lastLabel = {
  read: labelText,
  page: labelText(PAGE - 1),
  range: (from: number) => labelText(recordByNumber.get(from + PAGE - 1) ?? -1),
};
export const rangeStart = (n: number) => n % (RECORDS - PAGE);

export type Work = 'health' | 'read' | 'trpc' | 'page' | 'range' | 'tool' | 'commit';

export interface WorkRequest extends Sent {
  readonly expected: string;
}

/** Request for the record with a given number, by work. Servers lack the works that they do not support. */
export type WorkRequests = Partial<Record<Work, (n: number) => WorkRequest>>;

export const loadRequest = ({ expected, ...sent }: WorkRequest): LoadRequest => ({
  text: requestText(sent),
  expected,
});

const REPOSITORY = '/api/repos/bench/world';
const ADDRESS = { orgName: 'bench', repoName: 'world' };
const JSON_TYPE = { 'content-type': 'application/json' };

export function recordRequests(token: string): WorkRequests {
  return {
    health: () => ({ path: '/health/live', expected: '{"status":"live"}' }),
    read: (n) => ({ path: `${REPOSITORY}/head?match=Reading/r${n}`, token, expected: lastLabel.read(n) }),
    trpc: (n) => {
      const input = encodeURIComponent(JSON.stringify({ ...ADDRESS, wref: `Reading/r${n}` }));
      return { path: `/trpc/thing.get?input=${input}`, token, expected: lastLabel.read(n) };
    },
    page: () => ({ path: `${REPOSITORY}/head?shape=Reading&limit=${PAGE}`, token, expected: lastLabel.page }),
    range: (n) => {
      const parameters = `shape=Reading&where=x:gte:${rangeStart(n)}&order=data.x&limit=${PAGE}`;
      return { path: `${REPOSITORY}/query?${parameters}`, token, expected: lastLabel.range(rangeStart(n)) };
    },
    commit: (n) => ({
      ...commitRequest([n]),
      token,
      expected: `"name":"Reading/r${n}","version":1,"status":"applied"`,
    }),
  };
}

export function commitRequest(numbers: readonly number[]): Sent {
  const operations = numbers.map((n) => ({ name: `Reading/r${n}`, data: recordData(n) }));
  return { path: '/trpc/commit.submit', headers: JSON_TYPE, json: JSON.stringify({ ...ADDRESS, operations }) };
}

const PROTOCOL = '2026-07-28';

/** Calls the tool `thing_get`, which only Cairn has. */
export function toolRequest(token: string, n: number): WorkRequest {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'thing_get', arguments: { ...ADDRESS, wref: `Reading/r${n}` }, _meta: meta };
  const headers = {
    ...JSON_TYPE,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
    'mcp-method': 'tools/call',
    'mcp-name': params.name,
  };
  const json = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return { path: '/mcp', headers, json, token, expected: lastLabel.read(n) };
}
