// Clients that publish their metadata at the address that is their ID (client ID metadata documents): a standard
// client, and documents that are refused. The server is a separate process, because certificate trust is set per
// process.
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as oauth from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Browser } from './support/browser.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './support/localhost-certificate.ts';
import { authorizeUrl, INSECURE, newBrowser, openSignedIn, openSite, pkce, REDIRECT, whoami } from './support/oauth.ts';
import { OWNER, settingsOf, startServerProcess, testFolder } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

type Answering = (response: ServerResponse, address: string) => void;

async function startPublisher() {
  const documents = new Map<string, Answering>();
  const asked: string[] = [];
  const server = createServer({ key: LOCALHOST_KEY, cert: LOCALHOST_CERTIFICATE }, (request, response) => {
    const { url: path = '' } = request;
    asked.push(path);
    documents.get(path)?.(response, `${origin}${path}`);
    if (!documents.has(path)) response.writeHead(404).end();
  });
  await new Promise<void>((ready) => server.listen(0, 'localhost', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const publish = (path: string, answering: Answering): string => {
    documents.set(path, answering);
    return `${origin}${path}`;
  };
  return { origin, asked, publish };
}

const json =
  (body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const describing =
  (more: object): Answering =>
  (response, client_id) =>
    json({ client_id, client_name: 'Published', redirect_uris: [REDIRECT], ...more })(response);

async function startTrusting(engine: (typeof UPPER_ENGINES)[number], origins: readonly string[]) {
  const certificate = join(testFolder(), 'certificate.pem');
  writeFileSync(certificate, LOCALHOST_CERTIFICATE);
  const server = startServerProcess({
    PORT: '0',
    ...settingsOf(await testLocation(engine)),
    CAIRN_OWNER_EMAIL: OWNER.email,
    CAIRN_OWNER_PASSWORD: OWNER.password,
    CAIRN_OUTBOUND_ALLOW: origins.map((origin) => new URL(origin).host).join(','),
    NODE_EXTRA_CA_CERTS: certificate,
  });
  const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);
  return { url, server };
}

async function ask(url: string, client_id: string) {
  const { challenge } = await pkce();
  return await new Browser().send(authorizeUrl(url, { client_id, code_challenge: challenge }));
}

describe.each(UPPER_ENGINES)('a client with a metadata document on %s', (engine) => {
  it('gets a token by nothing but its address, and is called by where it is published', async () => {
    const { origin, asked, publish } = await startPublisher();
    const { url } = await startTrusting(engine, [origin]);
    const clientId = publish('/client.json', describing({ token_endpoint_auth_method: 'none' }));
    const client = await oauth.discovery(new URL(url), clientId, undefined, oauth.None(), INSECURE);
    expect(client.serverMetadata().client_id_metadata_document_supported).toBe(true);
    const { verifier, challenge } = await pkce();
    const state = oauth.randomState();
    const address = oauth.buildAuthorizationUrl(client, {
      ...{ redirect_uri: REDIRECT, scope: 'cairn offline_access', state },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const browser = newBrowser();
    const question = await openSignedIn(browser, address.href);
    expect(question.text).toContain('Allow Published to act for you?');
    expect(question.text).toContain(`<strong>${new URL(origin).host}</strong>`);
    const back = await browser.submit(question, { decision: 'allow' });
    const tokens = await oauth.authorizationCodeGrant(client, new URL(back.url), {
      ...{ pkceCodeVerifier: verifier, expectedState: state },
    });
    expect((await whoami(url, tokens.access_token)).status).toBe(200);
    const fresh = await oauth.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect((await whoami(url, fresh.access_token)).status).toBe(200);
    expect(asked).toEqual(['/client.json']);
  });

  it.runIf(IS_LONG)('is refused when the document is not what it should be', async () => {
    const { origin, publish, asked } = await startPublisher();
    const secret = await startPublisher();
    const { url, server } = await startTrusting(engine, [origin]);
    const inner = secret.publish('/inner', describing({}));
    const bad: [string, Answering][] = [
      ['/mismatch', json({ client_id: `${origin}/other`, redirect_uris: [REDIRECT] })],
      ['/case', (response, address) => json({ client_id: address.toUpperCase(), redirect_uris: [REDIRECT] })(response)],
      ['/no-id', json({ redirect_uris: [REDIRECT] })],
      ['/secret', describing({ client_secret: 'x' })],
      ['/basic', describing({ token_endpoint_auth_method: 'client_secret_basic' })],
      ['/post', describing({ token_endpoint_auth_method: 'client_secret_post' })],
      ['/script', describing({ redirect_uris: ['javascript:alert(1)', REDIRECT] })],
      ['/http', describing({ redirect_uris: ['http://app.example/', REDIRECT] })],
      ['/none', describing({ redirect_uris: [] })],
      ['/name', describing({ client_name: 'x'.repeat(101) })],
      ['/list', json([])],
      ['/null', json(null)],
      ['/text', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('client_id=x')],
      ['/empty', (response) => response.writeHead(200).end()],
      [
        '/created',
        (response, client_id) => response.writeHead(201).end(JSON.stringify({ client_id, redirect_uris: [REDIRECT] })),
      ],
      ['/found', (response) => response.writeHead(302, { location: inner }).end()],
      ['/moved', (response) => response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end()],
      ['/large', describing({ client_uri: `https://app.example/${'x'.repeat(200_000)}` })],
      [
        '/endless',
        (response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"client_id":'),
      ],
      ['/silent', () => {}],
      [
        '/cut',
        (response) => void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
      ],
    ];
    const answers = await Promise.all(
      bad.map(async ([path, answering]) => ({ path, ...(await ask(url, publish(path, answering))) })),
    );
    for (const { path, status, headers, text } of answers) {
      expect({ path, status, location: headers.get('location') }).toEqual({ path, status: 400, location: null });
      expect(text, path).toContain('role="alert"');
    }
    expect(asked).toContain('/found');
    expect(secret.asked).toEqual([]);
    // Nothing else on this machine gets a request, although this address is allowed.
    expect((await ask(url, inner)).status).toBe(400);
    expect(secret.asked).toEqual([]);
    expect(server.output()).not.toContain('NOTICE');
    expect((await ask(url, publish('/good', describing({})))).status).toBe(303);
  });

  it('is not looked for where the server alone may go', async () => {
    const { origin, asked, publish } = await startPublisher();
    publish('/', describing({}));
    publish('/client', describing({}));
    const { port } = new URL(origin);
    const { url } = await openSite(engine);
    for (const client of [
      `${origin}/client`,
      `https://127.0.0.1:${port}/client`,
      `https://[::1]:${port}/client`,
      'https://127.0.0.1/client',
      'https://10.0.0.1/client',
      'https://192.168.1.1/client',
      'https://172.16.0.1/client',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/client',
      'https://[::ffff:127.0.0.1]/client',
      'https://[fd00::1]/client',
      'https://0.0.0.0/client',
      'https://2130706433/client',
      'https://0x7f.1/client',
      'https://localhost/client',
      'https://localhost./client',
      'https://cairn.internal/client',
      'https://router.local/client',
      `http://localhost:${port}/client`,
      `https://user@localhost:${port}/client`,
      `https://localhost:${port}/../client`,
      `https://localhost:${port}/client#x`,
      'https://app.example:22/client',
      'ftp://app.example/client',
      'file:///etc/passwd',
    ]) {
      const { status, headers } = await ask(url, client);
      expect({ client, status, location: headers.get('location') }).toEqual({ client, status: 400, location: null });
    }
    expect(asked).toEqual([]);
  });
});
