// The official client, used as an agent: it reads public data, is asked to sign in when it writes, and sends its user
// to a real browser. Then it writes and reads the record back. The test runs once per protocol version.
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { CairnClient } from '../packages/sdk/src/index.ts';
import { createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { startBrowser } from './support/chromium.ts';
import { createPerson } from './support/person.ts';
import { OWNER, startTestServer } from './support/server.ts';
import { UPPER_ENGINES } from './support/store.ts';

const ERAS = {
  '2025-11-25': { versionNegotiation: { mode: 'legacy' } },
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
} as const;
const REDIRECT = 'http://127.0.0.1:9/callback';

/** The agent's sign-in state, and the address that it would open for its user. */
class AgentSignIn implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'Agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' };
  leadsTo: URL | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  clientInformation = () => this.#client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (address: URL) => {
    this.leadsTo = address;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (discovered: OAuthDiscoveryState) => {
    this.#discovered = discovered;
  };
  discoveryState = () => this.#discovered;
}

async function allow(address: URL): Promise<URL> {
  const { page } = await (await startBrowser())();
  const back = page.waitForRequest((request) => request.url().startsWith(REDIRECT));
  await page.goto(address.href);
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Allow Agent to act for you?' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  return new URL((await back).url());
}

async function openRepository(engine: (typeof UPPER_ENGINES)[number]): Promise<string> {
  const { url, store } = await startTestServer(engine);
  await createPerson(store, { ...OWNER, operator: true });
  const { token } = await createToken(store, { email: OWNER.email, name: 'setup', scopes: EVERYTHING });
  const owner = new CairnClient({ url, token });
  await owner.org.create('acme');
  await owner.repo.create('acme', 'world', { visibility: 'public' });
  await owner.shape.create('acme', 'world', 'Place', { fields: { label: 'string' } });
  return url;
}

describe.each(UPPER_ENGINES)('the official client on %s', (engine) => {
  it.each(['2025-11-25', '2026-07-28'] as const)('reads, signs in and writes, in %s', async (version) => {
    const url = await openRepository(engine);
    const authProvider = new AgentSignIn();
    const connect = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider });
      const client = new Client({ name: 'agent', version: '1.0.0' }, ERAS[version]);
      await client.connect(transport);
      return { client, transport };
    };
    const { client, transport } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['repo_list', 'commit_submit']));
    const address = { orgName: 'acme', repoName: 'world' };
    const read = await client.callTool({ name: 'thing_query', arguments: { ...address, kind: 'shape' } });
    expect(read.structuredContent).toMatchObject({ items: [{ name: 'Place' }] });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['cairn://acme/world/llms']);
    expect(authProvider.leadsTo).toBeUndefined();

    const operations = [{ operation: 'add', name: 'Place/cave', data: { label: 'A cave' } }];
    const write = { name: 'commit_submit', arguments: { ...address, operations } };
    await expect(client.callTool(write)).rejects.toBeInstanceOf(UnauthorizedError);
    const leadsTo = authProvider.leadsTo ?? new URL('about:blank');
    expect(leadsTo.searchParams.get('scope')).toBe('openid offline_access cairn');
    expect(leadsTo.searchParams.get('resource')).toBe(`${url}/mcp`);
    await transport.finishAuth((await allow(leadsTo)).searchParams);

    const signedIn = await connect();
    const written = await signedIn.client.callTool(write);
    expect(written).not.toHaveProperty('isError', true);
    expect(written.structuredContent).toMatchObject({ repoSeq: expect.any(Number) });
    const back = await signedIn.client.callTool({ name: 'thing_get', arguments: { ...address, wref: 'Place/cave' } });
    expect(back.structuredContent).toMatchObject({ data: { label: 'A cave' }, createdBy: 'user:ada' });
    const record = await signedIn.client.readResource({ uri: 'cairn://acme/world/Place/cave' });
    expect(record.contents[0]).toMatchObject({ mimeType: 'application/json', text: expect.stringContaining('A cave') });
    await Promise.all([client.close(), signedIn.client.close()]);
  });
});
