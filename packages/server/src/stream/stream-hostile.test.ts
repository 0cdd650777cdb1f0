// Hostile lines: each is refused or stored unchanged, and the stream continues with the next.
import { describe, expect, it } from 'vitest';
import { createTestRepository, recordWref, type TestRepository } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { applyLines, linesOf, packed } from '../../../../test/support/stream.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { findRecords } from '../read/record.sql.ts';

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const many = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n)).join(',');
const thing = (name: string, data: string) => `{"name":"T/${name}","data":${data}}`;

const LINES: Record<string, readonly [line: string, code?: string]> = {
  'data that is far too deep': [thing('a', nested('[', ']', 100_000)), 'VALIDATION_ERROR'],
  'objects that are far too deep': [thing('a', nested('{"a":', '}', 100_000)), 'VALIDATION_ERROR'],
  'a line of brackets': [nested('[', ']', 400_000), 'VALIDATION_ERROR'],
  'an unknown field that is far too deep': [
    `{"name":"T/a","data":{},"x":${nested('[', ']', 300_000)}}`,
    'VALIDATION_ERROR',
  ],
  'data that is as deep as it may be': [thing('deep', nested('{"a":', '}', 63))],
  'data that is deeper by little': [thing('a', nested('{"a":', '}', 65)), 'VALIDATION_ERROR'],
  'a number that is too large': [thing('a', '{"n":1e400}'), 'VALIDATION_ERROR'],
  'a number of a million digits': [thing('a', `{"n":${'1'.repeat(900_000)}}`), 'VALIDATION_ERROR'],
  'keys that objects have by nature': [thing('nature', '{"__proto__":{"x":1},"constructor":{"prototype":1}}')],
  'fields that objects have by nature': ['{"__proto__":{"name":"T/q"},"name":"T/a","data":{}}', 'VALIDATION_ERROR'],
  'a shape that is named as what objects have': [
    '{"kind":"shape","name":"constructor","data":{"fields":{"toString":"string","valueOf?":"wref"}}}',
  ],
  'a record of it': ['{"name":"constructor/a","data":{"toString":"x","valueOf":"T/self"}}'],
  'a name that is no name': ['{"name":"__proto__/x","data":{}}', 'VALIDATION_ERROR'],
  'NUL in values and keys': [thing('nul', '{"s":"\\u00001","\\u0000":"a\\u0000b"}')],
  'NUL in a name': ['{"name":"T/a\\u0000","data":{}}', 'VALIDATION_ERROR'],
  'what looks like a place of a wref': [thing('marker', '{"s":"\\u00000","links":["T/self"]}')],
  'half of a surrogate pair': [thing('a', '{"s":"\\ud800"}'), 'VALIDATION_ERROR'],
  'half of one as a key': [thing('a', '{"\\udc00":1}'), 'VALIDATION_ERROR'],
  'line ends of other alphabets': [thing('ends', '{"s":"\u2028\u2029\u0085"}')],
  'ten thousand references': [thing('refs', `{"links":[${many(10_000, () => '"T/self"')}]}`)],
  'ten thousand references to nothing': [
    thing('a', `{"links":[${many(10_000, (n) => `"T/x${n}"`)}]}`),
    'TARGET_NOT_FOUND',
  ],
  'fifty thousand fields': [thing('fields', `{${many(50_000, (n) => `"k${n}":1`)}}`)],
  'the same field twice': ['{"name":"T/a","name":"T/b","data":{}}', 'VALIDATION_ERROR'],
  'a list': ['[]', 'VALIDATION_ERROR'],
  'a string': ['"T/a"', 'VALIDATION_ERROR'],
  null: ['null', 'VALIDATION_ERROR'],
  'the largest label': [thing('t-$999999999', '{}')],
  'a label beyond it': [thing('t-$1000000000', '{}'), 'VALIDATION_ERROR'],
  'a name of a megabyte': [thing('x'.repeat(900_000), '{}'), 'VALIDATION_ERROR'],
  'an operation of a megabyte': [`{"operation":"${'x'.repeat(900_000)}","data":{}}`, 'VALIDATION_ERROR'],
  'a version that is none': [
    '{"operation":"revise","name":"T/self","data":{},"expectedVersion":1e308}',
    'VALIDATION_ERROR',
  ],
};

describe.each(ENGINES)('odd lines on %s', (engine) => {
  async function created() {
    const repository = await createTestRepository(engine);
    const fields = { 'n?': { type: 'number', indexed: true }, 'links?': ['wref'], 's?': 'string' };
    await repository.commit([
      { kind: 'shape', name: 'T', data: { fields } },
      { name: 'T/self', data: {} },
    ]);
    return repository;
  }

  it('are refused or kept as they are, and stop nothing', async () => {
    const repository = await created();
    let offset = 0;
    for (const [what, [line, code]] of Object.entries(LINES)) {
      const { errors } = await applyLines(repository, `${line}\n`, { offset });
      expect([what, ...errors.map((error) => error.code)]).toEqual(code === undefined ? [what] : [what, code]);
      const after = linesOf([{ name: `T/after-${offset}`, data: { n: offset } }]);
      const { applied, stream } = await applyLines(repository, after, { offset: offset + 1 });
      expect([what, applied, stream.offset]).toEqual([what, 1, offset + 2]);
      offset += 2;
    }
    await expectKept(repository);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('that are no JSON end the chunk before them', async () => {
    const repository = await created();
    const broken = [
      '{"name":',
      thing('x1', '{}').repeat(2),
      thing('raw', '{"s":"a\u0000b"}'),
      '\ufeff{}',
      "{'name':1}",
      'NaN',
    ];
    for (const [n, line] of broken.entries()) {
      const text = `${linesOf([{ name: `T/before-${n}`, data: {} }])}${line}\n${linesOf([{ name: 'T/never', data: {} }])}`;
      expect(packed(repository, text)).toMatchObject({ lineCount: 1, unreadable: { code: 'VALIDATION_ERROR' } });
      expect(await applyLines(repository, text, { offset: n })).toMatchObject({
        applied: 1,
        stream: { offset: n + 1 },
      });
    }
  });
});

async function expectKept({ store, grant }: TestRepository): Promise<void> {
  const kept = Object.values(LINES).flatMap(([line, code]) => (code === undefined ? [JSON.parse(line)] : []));
  const named = kept.filter(({ name, kind }) => kind === undefined && !name.includes('$'));
  const wrefs = named.map(({ name }) => recordWref(name));
  const found = await findRecords(store.database, grant, { wrefs, atRepoSeq: Number.MAX_SAFE_INTEGER });
  const texts = (data: unknown) => JSON.stringify(data).replaceAll('"T/self@v1"', '"T/self"').length;
  expect(found.map((item) => [item?.name, texts(item?.data)])).toEqual(
    named.map(({ name, data }) => [name, texts(data)]),
  );
}
