// The published schema of manifests, which editors and checks elsewhere read from any page.
import { manifestSchema } from '@cairn/protocol/manifest';
import { expect, it } from 'vitest';
import { createTestApp } from '../../../../test/support/server.ts';

const PUBLIC_URL = 'https://cairn.example';

it('publishes the JSON Schema of manifests to everyone, as it does the description of the interface', async () => {
  const { app } = await createTestApp('sqlite', { CAIRN_PUBLIC_URL: PUBLIC_URL });
  const headers = { origin: 'https://editor.example' };
  const schema = await app.request('/docs/component-manifest.json', { headers });
  const openApi = await app.request('/openapi.json', { headers });
  expect([schema.status, schema.headers.get('content-type')]).toEqual([200, 'application/schema+json']);
  const text = await schema.text();
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(manifestSchema(PUBLIC_URL))));
  expect(JSON.parse(text).$id).toBe(`${PUBLIC_URL}/docs/component-manifest.json`);
  for (const name of ['access-control-allow-origin', 'cache-control', 'vary']) {
    expect([name, schema.headers.get(name)]).toEqual([name, openApi.headers.get(name)]);
  }
  expect(schema.headers.get('access-control-allow-origin')).toBe('*');
});
