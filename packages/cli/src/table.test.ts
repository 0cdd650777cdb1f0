import { Readable } from 'node:stream';
import width from 'fast-string-truncated-width';
import { describe, expect, it } from 'vitest';
import { openRepository, runCairn } from '../../../test/support/cli.ts';
import { PLAIN } from './look.ts';
import { cut, table } from './table.ts';

const within = (columns: number) => ({ ...PLAIN, columns });
const widthsOf = (text: string) => text.split('\n').map((line) => width(line).width);

describe('a table', () => {
  const items = [
    { name: 'a', count: 5, note: 'x'.repeat(50) },
    { name: 'longer', count: 1_234, note: 'y' },
  ];

  it('has its numbers to the right, and cuts nothing where there is no terminal', () => {
    const [head, first, second] = table(items, ['name', 'count', 'note']).split('\n');
    expect(head).toBe('name    count  note');
    expect(first).toBe(`a           5  ${'x'.repeat(50)}`);
    expect(second).toBe('longer   1234  y');
  });

  it('cuts the widest column first, and says that it did', () => {
    const lines = table(items, ['name', 'count', 'note'], within(30)).split('\n');
    expect(lines).toEqual(['name    count  note', `a           5  ${'x'.repeat(14)}…`, 'longer   1234  y']);
  });

  it('cuts several columns alike, however narrow the terminal is', () => {
    const wide = [{ a: 'a'.repeat(40), b: 'b'.repeat(60), c: 'c'.repeat(5) }];
    const fitted = table(wide, ['a', 'b', 'c'], within(49));
    expect(fitted.split('\n')[1]).toBe(`${'a'.repeat(19)}…  ${'b'.repeat(19)}…  ccccc`);
    for (const columns of [25, 40, 80, 109, 200]) {
      expect(Math.max(...widthsOf(table(wide, ['a', 'b', 'c'], within(columns))))).toBeLessThanOrEqual(columns);
    }
    expect(Math.max(...widthsOf(table(wide, ['a', 'b', 'c'], within(5))))).toBe(8 + 8 + 5 + 4);
  });

  it('counts two for wide characters, and cuts none in half', () => {
    const places = [
      { place: '東京都の洞窟', emoji: '👨‍👩‍👧👍🏽🇩🇪', x: 1 },
      { place: 'cave', emoji: 'e\u0301', x: 22 },
    ];
    const text = table(places, ['place', 'emoji', 'x']);
    expect(new Set(widthsOf(text)).size).toBe(1);
    const narrow = table(places, ['place', 'emoji', 'x'], within(22));
    expect(narrow.split('\n')[1]).toMatch(/^東京都の… +/);
    expect(Math.max(...widthsOf(narrow))).toBeLessThanOrEqual(22);
    expect(cut('東京都', 4)).toBe('東…');
    expect(cut('東京', 4)).toBe('東京');
    expect(cut('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…');
  });

  it('shows scopes whole, and what others wrote in one line', () => {
    const rows = [{ scopes: [{ permissions: ['repo:read', 'repo:write'] }], text: 'a\nb\u001B[2Jc\td' }];
    const [, line = ''] = table(rows, ['scopes', 'text'], within(20)).split('\n');
    expect(line).toBe('repo:read,repo:write  a b [2J…');
  });
});

describe('a list on a terminal', () => {
  const LONG = 'a label that goes on and on, as labels of some people do, and does not end soon';

  async function openPlaces() {
    const { json, environment } = await openRepository('sqlite');
    await json('shape', 'create', 'Place', '--fields', '{"label":"string"}');
    await json('commit', 'submit', '--add', 'Place/a', '--data', JSON.stringify({ label: LONG }));
    const run = (args: string[], io: object, more: Record<string, string> = {}) =>
      runCairn(args, { environment: { ...environment, ...more }, ...io });
    return { run };
  }

  it('fits, and is whole when it is piped', async () => {
    const { run } = await openPlaces();
    const { stdout } = await run(['thing', 'list', '--no-color'], { stdoutColumns: 60 });
    expect(Math.max(...widthsOf(stdout))).toBeLessThanOrEqual(60);
    expect(stdout).toContain('…');
    expect((await run(['thing', 'list'], {})).stdout).toContain(LONG);
  });

  it('has colours there, unless they are not wanted, and elsewhere where they are', async () => {
    const { run } = await openPlaces();
    const terminal = { stdoutColumns: 80 };
    const isColored = async (args: string[], io: object, more = {}) =>
      (await run(['thing', 'list', ...args], io, more)).stdout.includes('\u001B[2m');
    expect(await isColored([], terminal)).toBe(true);
    expect(await isColored(['--no-color'], terminal)).toBe(false);
    expect(await isColored([], terminal, { NO_COLOR: '1' })).toBe(false);
    expect(await isColored([], terminal, { TERM: 'dumb' })).toBe(false);
    expect(await isColored([], {})).toBe(false);
    expect(await isColored([], {}, { FORCE_COLOR: '1' })).toBe(true);
    expect(await isColored([], {}, { FORCE_COLOR: '0' })).toBe(false);
    expect(await isColored(['--no-color'], {}, { FORCE_COLOR: '1' })).toBe(false);
    expect(await isColored(['--json'], terminal)).toBe(false);
  });

  it('shows errors in red where they are read, and not in files', async () => {
    const { run } = await openPlaces();
    const wrong = ['thing', 'get', 'Place/none'];
    expect((await run(wrong, { stderrColumns: 80 })).stderr).toContain('\u001B[31mError:\u001B[39m There is no ');
    expect((await run(wrong, { stdoutColumns: 80 })).stderr).toMatch(/^Error: /);
    expect((await run([...wrong, '--no-color'], { stderrColumns: 80 })).stderr).toMatch(/^Error: /);
    expect((await run([...wrong, '--json'], { stderrColumns: 80 })).stderr).toMatch(/^\{/);
    const doctor = await run(['doctor'], { stdoutColumns: 80 });
    expect(doctor.stdout).toContain('\u001B[32mok     \u001B[39m  node ');
  });

  it('lets no command of others through to the terminal', async () => {
    const { run } = await openPlaces();
    const hostile = '\u001B[8mhidden\u001B[2J\u0007';
    const stdin = Readable.from([Buffer.from(hostile)]);
    await run(['repo', 'content', 'set', 'readme', '--file', '-'], { stdin });
    for (const io of [{}, { stdoutColumns: 80 }]) {
      const { stdout } = await run(['repo', 'content', 'get', 'readme'], io);
      for (const command of ['\u001B[8m', '\u001B[2J', '\u0007']) expect(stdout).not.toContain(command);
      expect(stdout).toContain('hidden');
    }
  });
});
