// Creates a repository, a shape and a record with the tools of AI agents. The argument is your organization.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

// Print failures as a sentence, without a stack trace.
process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exit(1);
});
const { CAIRN_URL: url = 'http://localhost:8787', CAIRN_TOKEN: token } = process.env;
const place = { orgName: process.argv[2] ?? 'acme', repoName: 'quickstart-mcp' };
const client = new Client({ name: 'quickstart', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const authProvider = { token: async () => token };
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider }));

async function call(name: string, args: object) {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
  assert(!isError, JSON.stringify(content));
  return structuredContent as { items: { name: string; data: object }[] };
}

const { items } = await call('repo_list', { orgName: place.orgName });
const isThere = items.some(({ name }) => name === place.repoName);
if (!isThere) await call('repo_create', { orgName: place.orgName, name: place.repoName });
await call('shape_set', { ...place, name: 'Location', fields: { x: 'number' } });
await call('commit_submit', { ...place, operations: [{ name: 'Location/cave', data: { x: 3 }, skipExisting: true }] });
const found = await call('thing_query', { ...place, shape: 'Location' });
assert.deepEqual(found.items[0]?.data, { x: 3 });
console.log('Location/cave is', found.items[0]?.data);
await client.close();
