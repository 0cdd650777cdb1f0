// examples/mcp-agent as a separate process, with a real server.
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startProcess, startTestServer } from './support/server.ts';
import { UPPER_ENGINES } from './support/store.ts';

async function openGreenhouse(engine: (typeof UPPER_ENGINES)[number]) {
  const { url, store } = await startTestServer(engine);
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'other', { description: 'Something else' });
  await client.repo.create('ada', 'plants', { description: 'What grows in the greenhouse' });
  await client.shape.create('ada', 'plants', 'Bed', { fields: { label: 'string' } });
  await client.commit.submit('ada', 'plants', {
    operations: [{ name: 'Bed/north', data: { label: 'By the north wall' } }],
  });
  return { url, token, client };
}

describe.each(UPPER_ENGINES)('examples/mcp-agent on %s', (engine) => {
  it('does its task with the tools alone', async () => {
    const { url, token, client } = await openGreenhouse(engine);
    const agent = startProcess('node', ['run.mjs', 'examples/mcp-agent/agent.ts'], {
      CAIRN_URL: url,
      CAIRN_TOKEN: token,
    });
    expect((await agent.ended()).code, agent.output()).toBe(0);
    expect(agent.output()).toContain('Observation/p3 says "Yellow leaves."');
    const plant = await client.thing.get('ada', 'plants', 'Plant/p7');
    expect(plant.data).toEqual({ species: 'basil', heightCm: 31, bed: 'Bed/north@v1' });
    const { count } = await client.thing.count('ada', 'plants', { kind: 'assertion' });
    expect(count).toBe(10);
  });

  it('finds nothing that is not public without a token', async () => {
    const { url } = await openGreenhouse(engine);
    const agent = startProcess('node', ['run.mjs', 'examples/mcp-agent/agent.ts'], { CAIRN_URL: url });
    expect((await agent.ended()).code).toBe(1);
    expect(agent.output()).toContain('No repository says that it is about greenhouse');
  });
});
