// The official MCP conformance suite against the product's own route and transport. The fixtures are in
// test/conformance.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CairnClient } from '../packages/sdk/src/index.ts';
import { loadFixtures } from './conformance/fixture-server.ts';
import { createOwnerToken, ROOT, startProcess, startTestServer, testFolder } from './support/server.ts';
import { IS_LONG } from './support/suite.ts';
import { toolPath } from './tools/install.ts';

const SUITE = toolPath('@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED_FAILURES = join(ROOT, 'test/conformance/expected-failures.yaml');

async function run(url: string, ...args: string[]) {
  const suite = startProcess(
    process.execPath,
    [SUITE, 'server', '--url', `${url}/mcp`, '-o', testFolder(), ...args],
    {},
  );
  const { code } = await suite.ended();
  return { code, output: suite.output() };
}

describe('the conformance suite', () => {
  it('passes whole for 2026-07-28', async () => {
    const { url } = await startTestServer('sqlite', {}, { loadMcp: loadFixtures });
    const { code, output } = await run(url, '--requirements', '2026-07-28');
    expect(code, output).toBe(0);
  });

  it.runIf(IS_LONG)('passes for 2025-11-25, but for what takes a session', async () => {
    const { url } = await startTestServer('sqlite', {}, { loadMcp: loadFixtures });
    const { code, output } = await run(url, '--requirements', '2025-11-25', '--expected-failures', EXPECTED_FAILURES);
    expect(code, output).toBe(0);
  });

  // Scenarios that need no fixture run against the real server.
  it.runIf(IS_LONG).each([
    ['2026-07-28', ['tools-list', 'resources-list', 'prompts-list', 'caching', 'sep-2164-resource-not-found']],
    ['2026-07-28', ['dns-rebinding-protection', 'input-required-result-unsupported-methods']],
    ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list']],
  ])('finds nothing in Cairn itself, in %s: %s', async (version, scenarios) => {
    const { url, store } = await startTestServer('sqlite');
    const client = new CairnClient({ url, token: await createOwnerToken(store) });
    await client.repo.create('ada', 'world', { visibility: 'public' });
    // Run in sequence: a suite that waits for a processor finds its idle connection closed by the server.
    for (const scenario of scenarios) {
      const { code, output } = await run(url, '--scenario', scenario, '--spec-version', version);
      expect(code, output).toBe(0);
      expect(output).toMatch(/Passed: [1-9]/);
    }
  });
});
