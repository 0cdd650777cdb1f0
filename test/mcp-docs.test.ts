// The examples of docs/mcp.md: the commands and the program run unchanged, and the official client connects with each
// documented client configuration.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { blockListOf, readPage } from './support/page-example.ts';
import { openPageServer } from './support/page-server.ts';
import { createOwnerToken, ROOT, startTestServer } from './support/server.ts';

const PAGE = 'docs/mcp.md';

it('the examples of docs/mcp.md do what they say', async () => {
  const { runCommands, runScript } = await openPageServer(PAGE);
  await runScript();
  await runCommands();
});

/** A client's configuration for a server: its address, or the command that starts it. */
interface Configured {
  readonly url?: string;
  readonly headers?: Record<string, string>;
  readonly command?: string;
  readonly args?: string[];
}

function configuredIn(json: string): Configured[] {
  const { mcpServers, servers } = JSON.parse(json) as Record<string, Record<string, Configured>>;
  return Object.values(mcpServers ?? servers ?? {});
}

function configuredBy(command: string): Configured {
  const [, url, value] =
    /^claude mcp add --transport http cairn (\S+)(?: --header "Authorization: (.*)")?\n$/.exec(command) ?? [];
  if (url === undefined) throw new Error(`not understood: ${command}`);
  return value === undefined ? { url } : { url, headers: { Authorization: value } };
}

function transportOf({ url, headers, command = '', args = [] }: Configured, environment: Record<string, string>) {
  return url === undefined
    ? new StdioClientTransport({ command, args, env: environment, stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headers ?? {} } });
}

it('clients are connected by what docs/mcp.md tells them', async () => {
  const { url, store } = await startTestServer('sqlite');
  const token = await createOwnerToken(store);
  const here = (text: string) =>
    text
      .replaceAll('http://localhost:8787', url)
      .replaceAll('/path/to/cairn', ROOT)
      .replaceAll(/\$\{[\w:-]+\}|\$CAIRN_TOKEN/g, token);
  const page = readPage(PAGE);
  const configured = [
    ...blockListOf(page, 'json').flatMap((json) => configuredIn(here(json))),
    ...blockListOf(page, 'bash').map((command) => configuredBy(here(command))),
  ];
  expect(
    configured.map((found) => (found.url === undefined ? 'starts' : ((found.headers && 'token') ?? 'signs in'))),
  ).toEqual(['signs in', 'starts', 'signs in', 'token', 'signs in', 'token', 'signs in', 'token']);
  for (const found of configured) {
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    await client.connect(transportOf(found, { CAIRN_TOKEN: token }));
    const { structuredContent } = await client.callTool({ name: 'capabilities', arguments: {} });
    const isKnown = found.url === undefined || found.headers !== undefined;
    expect(JSON.stringify((structuredContent as { you?: unknown }).you)).toContain(isKnown ? '"ada"' : 'anonymous');
  }
});
