// `get` and `view` are one word, wherever a noun has one of them.
import { expect, it } from 'vitest';
import { openRepository } from '../../../test/support/cli.ts';

it('what is shown by view is shown by get, and the other way round', async () => {
  const { json, client, run } = await openRepository('sqlite');
  await json('shape', 'create', 'Part', '--fields', '{}');
  await json('commit', 'submit', '--add', 'Part/a', '--data', '{}');
  await client.token.create('reader', { scopes: [{ permissions: ['repo:read'] }] });
  await client.credential.create('ada', 'world', 'keys');
  const webhook = ['--webhook-url', 'https://example.com/hook'];
  await json('subscription', 'create', 'parts', '--shape', 'Part', ...webhook);
  for (const [noun, ...args] of [
    ['org', 'ada'],
    ['repo', 'ada/world'],
    ['shape', 'Part'],
    ['thing', 'Part/a'],
    ['commit', '1'],
    ['token', 'reader'],
    ['credential', 'keys'],
    ['subscription', 'parts'],
  ] as const) {
    expect.soft(await json(noun, 'get', ...args)).toEqual(await json(noun, 'view', ...args));
  }
  expect((await run(['component', 'view', 'none'])).stderr).toContain('ORG/NAME');
});
