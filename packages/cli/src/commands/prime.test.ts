import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import type { Primer } from './prime.ts';

const HOSTILE = `it's "here"; $(touch /nowhere/x) \`id\``;

async function openWorld() {
  const world = await openRepository('sqlite');
  const { json, client } = world;
  await json('repo', 'update', '--description', 'A world\nof caves');
  await json('shape', 'create', 'Place', '--fields', '{"x":"number","label?":"string"}', '--description', 'Somewhere');
  await json('shape', 'create', 'Unused', '--fields', '{}');
  const operations = [
    { name: 'Place/cave', data: { x: 1, label: HOSTILE } },
    { name: 'Place/hut', data: { x: 2 } },
  ];
  await client.commit.submit('ada', 'world', { operations });
  await client.repo.setContent('ada', 'world', 'agents', 'Caves are in metres.\n');
  return world;
}

function wordsOf(line: string): string[] {
  const printed = execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

describe('cairn prime', () => {
  it('says what is in a repository, what it says to agents, and how to work on it', async () => {
    const { run } = await openWorld();
    const { code, stdout, stderr } = await run(['prime']);
    expect([code, stderr]).toEqual([0, '']);
    for (const part of [
      '# ada/world\n\nA world of caves\nCommit 4. Things: 3;',
      'You can read and write.',
      'Place (2 records, version 1): Somewhere\n',
      '  label?  string\n',
      '  for example Place/cave: {"label":',
      'Unused (0 records, version 1)',
      '## Instructions of the repository for agents\n\nCaves are in metres.\n\n',
      'cairn thing get Place/cave ',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toContain('Content (');
    expect(stdout.length).toBeLessThan(4_000);
  });

  it('gives commands that do what they say, whatever is in the records', async () => {
    const { run, json, client } = await openWorld();
    const primer = (await json('prime', 'ada/world')) as Primer;
    expect(primer).toMatchObject({ mayWrite: true, agents: 'Caves are in metres.\n', repoSeq: 4 });
    expect(primer.samples.map(({ name }) => name)).toEqual(['Place/cave']);
    const inPlace = (command: string) =>
      wordsOf(command.replace('FIELD:eq:VALUE', 'x:eq:1').replace('SHAPE/NEW', 'Unused/n').replace('JSON', "'{}'"));
    const commands = primer.commands
      .map(({ command }) => inPlace(command))
      .filter((words) => !words.includes('--file'));
    expect(commands).toHaveLength(12);
    for (const [, ...args] of commands) {
      const { code, stderr } = await run([...args, '--json']);
      expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
    }
    const { data } = await client.thing.get('ada', 'world', 'Place/NEW', { includeRetracted: true });
    expect(data).toEqual({ x: 1, label: HOSTILE });
  });

  it('of what one may only read has no commands that write', async () => {
    const { json, environment, client } = await openWorld();
    await json('repo', 'archive', 'ada/world');
    expect(await json('prime')).toMatchObject({ mayWrite: false });
    await client.repo.unarchive('ada', 'world');
    await client.repo.setVisibility('ada', 'world', { visibility: 'public' });
    const anonymous = { CAIRN_URL: environment.CAIRN_URL };
    const { stdout } = await cairn(['prime', 'ada/world'], anonymous);
    expect(stdout).toContain('You can read, but not write.');
    expect(stdout).not.toContain('commit submit');
    expect((await cairn(['prime', 'ada/none'], anonymous)).code).toBe(4);
  });
});
