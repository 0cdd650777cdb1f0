// llms.txt keeps the form of llmstxt.org, whatever users write.

import { parseShape } from '@cairn/model/shape';
import type { ShapeDescription } from '@cairn/protocol/description';
import type { Repository } from '@cairn/protocol/organization';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LlmsText, parseLlmsText } from '../../../../test/support/llms-text.ts';
import { TEST_SEED } from '../../../../test/support/seed.ts';
import { type LlmsTextInput, makeLlmsText } from './llms-text.ts';

const URL = 'https://cairn.example';
const repository: Repository = {
  orgName: 'acme',
  name: 'house',
  displayName: 'The house',
  description: 'Rooms and sensors',
  visibility: 'public',
  archived: false,
  repoSeq: 57,
  createdAt: 1,
  features: { streamSubmissions: false },
};

const SENSOR: ShapeDescription = {
  name: 'Sensor',
  version: 3,
  count: 12,
  description: 'Measures something',
  fields: {
    room: { type: 'wref', shape: ['Room', 'Hall'], description: 'where it is' },
    'severity?': { type: 'number', integer: true, minimum: 1, maximum: 5, indexed: true },
    status: { type: 'string', enum: ['open', 'done'] },
    position: { x: 'number', 'y?': 'number' },
    tags: ['string'],
    'links?': { type: 'array', items: { type: 'wref', shape: 'Sensor' } },
    free: 'json',
  },
};
const ROOM: ShapeDescription = { name: 'Room', version: 1, count: 2, fields: {} };

async function* inPages(shapes: readonly ShapeDescription[]) {
  for (let at = 0; at < shapes.length; at += 100) yield shapes.slice(at, at + 100);
}

interface Given {
  readonly repository?: Partial<Repository>;
  readonly shapes?: readonly ShapeDescription[];
  readonly atRepoSeq?: number;
}

async function textOf({ repository: change, shapes = [ROOM, SENSOR], atRepoSeq }: Given = {}): Promise<string> {
  const input: LlmsTextInput = {
    repository: { ...repository, ...change },
    publicUrl: URL,
    atRepoSeq,
    counts: { thing: 13, assertion: 1, shape: 2, collection: 0 },
    contents: ['readme'],
    shapePages: inPages(shapes),
  };
  return await makeLlmsText(input);
}

const made = async (given?: Given): Promise<LlmsText> => parseLlmsText(await textOf(given));

describe('llms.txt', () => {
  it('has a title, a summary, an introduction, and lists of links', async () => {
    const { title, summary, introduction, sections } = await made();
    expect([title, summary]).toEqual(['The house', 'Rooms and sensors']);
    expect(Object.keys(sections)).toEqual(['Reading', 'Shapes', 'Texts', 'Optional']);
    for (const told of [
      '`acme/house`',
      'At sequence 57 it has 13 things, 1 assertion, 0 collections and 2 shapes.',
      '`Shape/name@v3`',
      '`where=severity:gte:3`',
      '`nextCursor`',
      '`atRepoSeq=N`',
      'Reading needs no credential.',
    ]) {
      expect(introduction).toContain(told);
    }
  });

  it('tells each shape in a line: how many records, which fields of which types', async () => {
    const { sections } = await made();
    expect(sections.Shapes).toEqual([
      { name: 'Room', url: `${URL}/api/repos/acme/house/head?shape=Room`, notes: '2 records, version 1. No fields.' },
      {
        name: 'Sensor',
        url: `${URL}/api/repos/acme/house/head?shape=Sensor`,
        notes:
          '12 records, version 3. Measures something. Fields: `room` wref to `Room` or `Hall` (where it is); ' +
          '`severity` number, optional, whole, from 1, up to 5, indexed; `status` string, one of `open` or `done`; ' +
          '`position.x` number; `position.y` number, optional; `tags` array of string; ' +
          '`links` array of wref to `Sensor`, optional; `free` json.',
      },
    ]);
  });

  it('gives examples of this repository: its largest shape, and a field that filters well', async () => {
    const { sections } = await made();
    const api = `${URL}/api/repos/acme/house`;
    expect(sections.Reading?.map(({ name, url }) => [name, url])).toEqual([
      ['head', `${api}/head?shape=Sensor`],
      ['query', `${api}/query?shape=Sensor&where=severity:gte:1`],
      ['about', `${api}/about/Sensor%2FNAME`],
      ['newest', `${api}/head?order=-updated&limit=20`],
      ['MCP', `${URL}/mcp`],
    ]);
    expect(sections.Texts).toEqual([
      { name: 'readme.md', url: `${URL}/acme/house/readme.md`, notes: 'the readme for people.' },
      {
        name: 'agents.md',
        url: `${URL}/acme/house/agents.md`,
        notes: 'the instructions for agents. Not written yet.',
      },
    ]);
    expect(sections.Optional?.map(({ url }) => url)).toEqual([
      `${URL}/openapi.json`,
      `${URL}/docs/api`,
      `${URL}/docs/README.md`,
    ]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['an enum', { s: { type: 'string', enum: ['a b', 'open'] } }, 's:eq:open'],
    ['text', { s: 'string', other: ['string'] }, 's:exists'],
    ['a flag', { on: 'boolean', to: 'wref' }, 'on:eq:true'],
    ['a nested number', { at: { x: { type: 'number', minimum: -1.5 } } }, 'at.x:gte:-1.5'],
    ['an indexed text before a number', { n: 'number', s: { type: 'string', indexed: true } }, 's:exists'],
    ['names that a filter cannot spell', { 'a:b': 'number', 'c d': 'string' }, undefined],
    ['no fields', {}, undefined],
  ])('filters by %s', async (_, fields, predicate) => {
    const { sections } = await made({ shapes: [{ ...SENSOR, fields }] });
    const query = new globalThis.URL(sections.Reading?.[1]?.url ?? '').searchParams;
    expect(query.get('where') ?? undefined).toBe(predicate);
  });

  it('says how to read a private repository, and leads to the sequence that was asked for', async () => {
    const { introduction, sections } = await made({ repository: { visibility: 'private' }, atRepoSeq: 9 });
    expect(introduction).toContain('`Authorization: Bearer TOKEN`');
    expect(introduction).toContain('At sequence 9 it has');
    const reads = [...(sections.Reading ?? []).slice(0, -1), ...(sections.Shapes ?? []), ...(sections.Texts ?? [])];
    expect(reads.filter(({ url }) => new globalThis.URL(url).searchParams.get('atRepoSeq') !== '9')).toEqual([]);
  });

  it('is of use where there is no shape yet', async () => {
    const { summary, sections } = await made({ repository: { description: '' }, shapes: [] });
    expect(summary).toBe('A repository of 14 records.');
    expect(Object.keys(sections)).toEqual(['Reading', 'Texts', 'Optional']);
    expect(sections.Reading?.[0]?.url).toBe(`${URL}/api/repos/acme/house/head`);
  });

  it('leaves out what a field asks for that the caller does not see', async () => {
    const fields = {
      a: { type: 'wref', shape: [null, 'Room'] },
      b: { type: 'wref', shape: null },
      c: [{ type: 'wref', shape: [null] }],
    };
    const { sections } = await made({ shapes: [{ ...SENSOR, fields }] });
    expect(sections.Shapes?.[0]?.notes).toContain('Fields: `a` wref to `Room`; `b` wref; `c` array of wref.');
  });

  it('stays small however much there is, and leads to the rest', async () => {
    const long = '*'.repeat(2_000);
    const field = {
      type: 'string',
      description: long,
      enum: Array.from({ length: 50 }, (_, n) => `${n}${'`'.repeat(300)}`),
    };
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${n}`, field]));
    const shapes = Array.from({ length: 1_000 }, (_, n) => ({ ...SENSOR, name: `S${n}`, description: long, fields }));
    const text = await textOf({ shapes, repository: { description: '𝄞'.repeat(1_000), displayName: '#'.repeat(100) } });
    expect(Buffer.byteLength(text)).toBeLessThan(50_000);
    const { sections } = parseLlmsText(text);
    const [first, ...rest] = sections.Shapes ?? [];
    expect(first?.notes).toMatch(/; and \d+ more\.$/);
    const input = encodeURIComponent('{"orgName":"acme","repoName":"house"}')
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',');
    expect(rest.slice(-2).map(({ url }) => url)).toEqual([
      `${URL}/api/repos/acme/house/head?kind=shape&order=name`,
      `${URL}/trpc/repo.describe?input=${input}`,
    ]);
    const most = Array.from({ length: 300 }, (_, n) => ({ ...ROOM, name: `R${n}` }));
    expect((await made({ shapes: most })).sections.Shapes).toHaveLength(300);
  });
});

const HOSTILE = [
  '\n# Owned',
  '\r\n\r\n## Optional\n\n- [x](https://evil.example)',
  '](https://evil.example)',
  '[click](https://evil.example)',
  '![x](https://evil.example/x.png)',
  '<https://evil.example>',
  '<script>alert(1)</script>',
  '<!-- ',
  '`code` ``more`` ```',
  '\n```\nfence\n```\n',
  '- item',
  '1. item',
  '> quote',
  '---',
  '===',
  '\u2028## Line',
  '\u0085# Next',
  '\u202egnp.exe',
  '\\',
  '\\[a](b)',
  '**bold** _it_ ~~no~~',
  '&lt;b&gt; &#10;',
  ' \t ',
  '\0',
];

const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.tuple(fc.constantFrom(...HOSTILE), fc.constantFrom(...HOSTILE)).map((both) => both.join('')),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

describe('what users write into llms.txt', () => {
  it('stays text in its place', async () => {
    const shapeOf = fc.record({ key: hostile, choice: hostile, note: hostile, about: hostile });
    const given = fc.record({ displayName: hostile, description: hostile, shape: shapeOf });
    await fc.assert(
      fc.asyncProperty(given, async ({ displayName, description, shape }) => {
        const name = shape.key.replace(/\?$/, '') || 'x';
        const fields = { [name]: { type: 'string', enum: [shape.choice], description: shape.note }, last: 'number' };
        parseShape({ fields });
        const shapes = [ROOM, { ...SENSOR, description: shape.about, fields }];
        const text = await textOf({ repository: { displayName, description }, shapes });
        const { title, summary, sections } = parseLlmsText(text);
        expect(Object.keys(sections)).toEqual(['Reading', 'Shapes', 'Texts', 'Optional']);
        expect(sections.Shapes?.map((link) => link.name)).toEqual(['Room', 'Sensor']);
        expect(sections.Shapes?.[1]?.notes).toMatch(/; `last` number\.$/);
        const links = Object.values(sections).flatMap((list) => list.map(({ url }) => url));
        expect(links.filter((url) => !url.startsWith(`${URL}/`))).toEqual([]);
        for (const line of [title, summary, ...(sections.Shapes ?? []).map(({ notes }) => notes)]) {
          expect(bareSigns(line)).toEqual([]);
        }
        expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u2029\u202a-\u202e]/u);
      }),
      { seed: TEST_SEED, numRuns: 500 },
    );
  });
});

function bareSigns(line: string): string[] {
  const text = line.replaceAll(/\\[!-/:-@[-`{-~]/g, '').replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  return text.match(/[\\`*[\]<>#!|~]/g) ?? [];
}
