// Refused imports: bad headers, oversized or misplaced appends, and bad lines. A refusal names the line and changes
// nothing.

import { formatDurableId } from '@cairn/model/wref';
import type { ExportRow } from '@cairn/protocol/export';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import { beforeEach, describe, expect, it } from 'vitest';
import { finish, headerOf, importFile, lineOf, thingLine } from '../../../../test/support/import/file.ts';
import { COPY, createImportWorld, type ImportWorld } from '../../../../test/support/import/world.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const AT = 5;
const identity = (recordId: number, version = 1, repoId = 77) => `${formatDurableId({ repoId, recordId })}@v${version}`;
const shape = (row: Partial<ExportRow> = {}) => lineOf({ recordId: 1, ...row });
const thing = (row: Partial<ExportRow> = {}, recordId = 2) => thingLine({ recordId, ...row });
const altered = (line: string, from: string, to: string) => {
  if (!line.includes(from)) throw new Error(`${line} does not hold ${from}`);
  return line.replace(from, to);
};
const fields = (field: unknown) => ({ fields: { field } });
const at = (path: string, text: string, data: object) => thing({ data, refs: [[path, text]] });
const arc = (row: Partial<ExportRow>) =>
  lineOf({
    recordId: 3,
    kind: 'collection',
    name: 'Arc/x',
    shapeName: 'Arc',
    shapeVersion: 1,
    collection: 'arc',
    data: {},
    ...row,
  });
const arcShape = lineOf({ recordId: 2, name: 'Arc', data: BUILT_IN_SHAPES.Arc });

const BAD_LINES: readonly [title: string, lines: readonly string[], message: RegExp][] = [
  ['no JSON', ['{"type":'], /JSON|expected/i],
  ['an empty line', [shape(), ''], /value/],
  ['an array', ['[]'], /object|expected/i],
  ['a header', [JSON.stringify(headerOf(AT))], /import\.begin/],
  ['an end mark', [shape(), '{"type":"end","recordCount":1}'], /import\.finish/],
  ['another type', [altered(shape(), '"record"', '"other"')], /type/],
  ['a missing field', [altered(shape(), '"createdBy":"user:far",', '')], /createdBy/],
  ['a duplicate key', [altered(shape(), '"version":1', '"version":1,"version":1')], /twice|duplicate/i],
  ['a number that no double holds', [altered(shape(), '"version":1', '"version":12345678901234567890')], /number/i],
  ['half of a surrogate pair', [altered(thing(), '"data":{}', '"data":{"a":"\\ud800"}')], /surrogate/],
  ['a durable ID with a changed character', [altered(shape(), '"durableId":"0', '"durableId":"1')], /durableId/],
  ['a record 0', [lineOf({ recordId: 0 })], /durableId/],
  ['a changed character of data', [shape(), altered(thing({ data: { a: 'x' } }), '"x"', '"y"')], /dataHash/],
  ['data in another form than its hash', [shape({ dataHash: 'ab' })], /dataHash/],
  ['data that is no object', [shape(), thing({ data: [] })], /data: expected an object/],
  [
    'data that is too deep',
    [shape(), thing({ data: JSON.parse(`{"a":${'['.repeat(70)}${']'.repeat(70)}}`), dataHash: '' })],
    /deep|nest|level/i,
  ],
  ['data that is too large', [shape(), thing({ data: { a: 'x'.repeat(1_048_577) } })], /dataBytes/],
  ['a definition that is none', [shape({ data: fields('nonsense') })], /nonsense|type/],
  ['a name that is none', [shape(), thing({ name: 'Shape1/a b' })], /name/],
  ['a shape with a name of a record', [shape({ name: 'A/b' })], /name of a shape/],
  ['a record with a name of a shape', [shape(), thing({ name: 'Shape1' })], /name of a thing/],
  ['a shape that is not that of the name', [shape(), thing({ shapeName: 'Other' })], /shapeName/],
  ['a shape that has a shape', [shape({ shapeName: 'Shape1' })], /shapeName/],
  ['a shape with the version of one', [shape({ shapeVersion: 1 })], /shapeVersion/],
  ['a record without the version of its shape', [shape(), altered(thing(), ',"shapeVersion":1', '')], /shapeVersion/],
  ['a version that its shape does not have', [shape(), thing({ shapeVersion: 2 })], /versions up to 1, not 2/],
  ['a shape that is not there', [thing()], /shapeName: no earlier line/],
  [
    'a shape that comes later',
    [thing({}, 1), lineOf({ recordId: 2, name: 'Shape1' })].slice(0, 1),
    /shapeName: no earlier line/,
  ],
  ['an assertion about nothing', [shape(), thing({ kind: 'assertion' })], /aboutWref/],
  ['a thing about something', [shape(), thing({ aboutWref: 'Shape1/n3' })], /aboutWref/],
  ['an identity without a text', [shape(), thing({ aboutDurableId: identity(1) })], /aboutDurableId/],
  ['a text that is no wref', [shape(), thing({ kind: 'assertion', aboutWref: 'a b' })], /aboutWref/],
  ['a collection of a shape that is for things', [shape(), thing({ kind: 'collection', collection: 'arc' })], /kind/],
  ['a thing of a shape that is for collections', [arcShape, arc({ kind: 'thing', collection: undefined })], /kind/],
  ['a collection of another type', [arcShape, arc({ collection: 'set' })], /kind/],
  [
    'a member that stands in no place of one',
    [arcShape, arc({ data: { a: 'Arc@v1' }, refs: [['/a', identity(2)]] })],
    /not the place of a member/,
  ],
  ['a version 0', [shape({ version: 0, operation: 'revise' })], /version/],
  ['a sequence 0', [shape({ repoSeq: 0 })], /repoSeq/],
  ['a sequence after that of the export', [shape({ repoSeq: AT + 1 })], /repoSeq: 6 is after 5/],
  ['a version before its record', [shape(), thing({ version: 2, repoSeq: 2, recordRepoSeq: 3 })], /repoSeq/],
  ['a first version after its record', [shape(), thing({ repoSeq: 3, recordRepoSeq: 2 })], /repoSeq/],
  ['a first version at another time', [shape({ recordCreatedAt: 0 })], /versionCreatedAt/],
  ['a time before there was any', [shape({ versionCreatedAt: -1, recordCreatedAt: -1 })], /recordCreatedAt/],
  ['an operation that makes none', [shape({ operation: 'rename' })], /operation/],
  ['an add that is no first version', [shape(), thing({ version: 2, operation: 'add' })], /operation/],
  ['a retraction that is active', [shape(), thing({ version: 2, operation: 'retract' })], /active/],
  ['an author who is none', [shape({ createdBy: 'far' })], /createdBy/],
  [
    'a reason with U+0000',
    [shape(), thing({ version: 2, operation: 'retract', active: false, reason: 'a\0' })],
    /reason/,
  ],
  ['a reference at no text', [shape(), at('/a', identity(1), { b: 'Shape1' })], /no string at \/a/],
  ['a reference at a number', [shape(), at('/a', identity(1), { a: 1 })], /no string at \/a/],
  ['a reference at a text that is no wref', [shape(), at('/a', identity(1), { a: '?' })], /data at \/a/],
  ['a reference to no identity', [shape(), at('/a', 'Shape1', { a: 'Shape1' })], /refs at \/a/],
  [
    'a reference to a changed identity',
    [shape(), at('/a', altered(identity(1), '0', '1'), { a: 'Shape1' })],
    /refs at \/a/,
  ],
  [
    'references out of order',
    [
      shape(),
      thing({
        data: { a: 'Shape1@v1', b: 'Shape1@v1' },
        refs: [
          ['/b', identity(1)],
          ['/a', identity(1)],
        ],
      }),
    ],
    /refs: \/a does not come after/,
  ],
  ['a row again', [shape(), shape()], /durableId: rows must be sorted by record and version/],
  ['a row before', [shape(), thing({}, 3), thing({}, 2)], /durableId: rows must be sorted/],
  [
    'a row of another repository',
    [shape(), thing({ durableId: formatDurableId({ repoId: 78, recordId: 2 }) })],
    /another repository/,
  ],
  ['a record before one that was made earlier', [shape({ repoSeq: 3 }), thing({ repoSeq: 2 })], /recordRepoSeq/],
  [
    'two versions of a thing',
    [shape(), thing({ version: 2, repoSeq: 2, recordRepoSeq: 1 }), thing({ version: 3, repoSeq: 2, recordRepoSeq: 1 })],
    /only shapes/,
  ],
  [
    'a shape without its first version',
    [shape({ version: 2, repoSeq: 2, recordRepoSeq: 1 })],
    /version 1 of the shape Shape1 is missing/,
  ],
  [
    'a shape without one between',
    [shape(), shape({ version: 3, repoSeq: 2, recordRepoSeq: 1 })],
    /version 2 of the shape/,
  ],
  [
    'a shape of two names',
    [shape(), shape({ version: 2, repoSeq: 2, recordRepoSeq: 1, name: 'Else' })],
    /different names|is missing|differs from the record/,
  ],
  [
    'a version of a shape before the one before',
    [
      shape({ repoSeq: 1 }),
      shape({ version: 2, repoSeq: 3, recordRepoSeq: 1 }),
      shape({ version: 3, repoSeq: 2, recordRepoSeq: 1 }),
    ],
    /earlier sequence/,
  ],
  ['a name that two records have', [shape(), thing({}, 2), thing({ name: 'Shape1/n2' }, 3)], /name: Shape1\/n2/],
  ['a name that two shapes have', [shape(), lineOf({ recordId: 2, name: 'Shape1' })], /name: Shape1/],
  ['a sequence of two authors', [shape(), thing({ createdBy: 'user:eve' })], /user:eve as author of sequence 1/],
  ['a sequence at two times', [shape(), thing({ versionCreatedAt: 9, recordCreatedAt: 9 })], /dates sequence 1 at 9/],
  [
    'a sequence of two committers',
    [shape(), thing({ committerWref: 'Shape1/n2@v1' })],
    /Shape1\/n2@v1 as author of sequence 1/,
  ],
];

const BAD_FILES: readonly [title: string, lines: readonly string[], message: RegExp][] = [
  [
    'a reference to nothing',
    [shape(), at('/a', identity(9), { a: 'Shape1/n9@v1' })],
    /Shape1\/n2 refers at \/a to version 1 of record 9/,
  ],
  [
    'a reference to a version that never was',
    [shape(), at('/a', identity(1, 2), { a: 'Shape1@v2' })],
    /version 2 of record 1/,
  ],
  [
    'an assertion about nothing',
    [shape(), thing({ kind: 'assertion', aboutWref: 'Shape1/x@v1', aboutDurableId: identity(9) })],
    /Shape1\/n2 refers to version 1 of record 9/,
  ],
  [
    'a committer who is nobody',
    [shape({ committerWref: 'Shape1/n9@v1', committerDurableId: identity(9) })],
    /sequence 1 was committed for Shape1\/n9@v1/,
  ],
  [
    'a shape that once asked for nothing',
    [
      shape({ data: fields({ type: 'wref', shape: 'X' }), refs: [['/fields/field/shape', identity(9)]] }),
      shape({ version: 2, repoSeq: 2, recordRepoSeq: 1 }),
    ],
    /Shape1 refers at \/fields\/field\/shape/,
  ],
];

describe.each(UPPER_ENGINES)('what an import refuses on %s', (engine) => {
  let world: ImportWorld;
  let importId: string;

  const begin = async (header = headerOf(AT)) => await world.session('import.begin', { ...COPY, header });
  const append = async (lines: readonly string[], offset = 0) =>
    await world.session('import.append', { ...COPY, importId, offset, lines: lines.join('\n') });

  beforeEach(async () => {
    world = await createImportWorld(engine, { CAIRN_LIMIT_IMPORT_INCREMENT_ROWS: '20' });
    importId = (await begin()).data().importId;
  });

  it('is told by the number of the line, together with what is before it or after it', async () => {
    for (const [title, lines, message] of BAD_LINES) {
      const line = lines.length + 1;
      const refused = await append(title === 'an empty line' ? [...lines, ''] : lines);
      expect([title, refused.status, refused.code]).toEqual([title, 400, 'VALIDATION_ERROR']);
      expect([title, refused.message]).toEqual([title, expect.stringMatching(message)]);
      expect([title, refused.message]).toEqual([title, expect.stringContaining(`Line ${line} of the export: `)]);
      expect(refused.body).toContain('abort the import');
      expect((await begin()).data()).toEqual({ importId, offset: 0 });
    }
  });

  it('is told as well when the lines before it came with an append of their own', async () => {
    const known = BAD_LINES.filter(([title, lines]) => lines.length > 1 && title !== 'an empty line');
    for (const [title, lines, message] of known) {
      for (const [offset, line] of lines.slice(0, -1).entries()) (await append([line], offset)).data();
      const refused = await append(lines.slice(-1), lines.length - 1);
      expect([title, refused.status, refused.message]).toEqual([title, 400, expect.stringMatching(message)]);
      expect([title, refused.message]).toEqual([
        title,
        expect.stringContaining(`Line ${lines.length + 1} of the export`),
      ]);
      expect((await world.session('import.abort', COPY)).data()).toEqual({ done: true });
      importId = (await begin()).data().importId;
    }
  });

  it.each(BAD_FILES)('is an export with %s, when it is whole', async (_, lines, message) => {
    (await append(lines)).data();
    const end = { type: 'end', recordCount: lines.length } as const;
    const refused = await world.session('import.finish', { ...COPY, importId, end });
    expect([refused.status, refused.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await world.session('import.finish', { ...COPY, importId, end })).message).toBe(refused.message);
    expect((await world.session('import.abort', COPY)).data()).toEqual({ done: true });
    expect((await world.session('repo.get', COPY)).data()).not.toHaveProperty('importing');
  });

  it('is a header that does not fit', async () => {
    const empty = { orgName: 'ada', repoName: 'world' };
    const answers = await Promise.all(
      [
        { formatVersion: 2 },
        { sinceRepoSeq: AT + 1 },
        { sinceRepoSeq: -1 },
        { commitId: null },
        { commitId: 'abc' },
        { server: '' },
        { repo: 'a\0' },
      ].map((change) => world.session('import.begin', { ...empty, header: { ...headerOf(AT), ...change } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([412, 400, 400, 400, 400, 400, 400]);
    expect(answers[0]).toMatchObject({ code: 'export-format-mismatch' });
  });

  it('is another export while one is under way', async () => {
    for (const change of [{ repo: 'far/other' }, { server: 'other' }, { commitId: 'ab'.repeat(32) }]) {
      const refused = await begin({ ...headerOf(AT), ...change });
      expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('import.abort')]);
    }
    expect((await begin(headerOf(AT + 1))).status).toBe(409);
    expect((await begin({ ...headerOf(AT), exportedAt: 99 })).data()).toEqual({ importId, offset: 0 });
  });

  it('is an append out of place, which is told the place', async () => {
    (await append([shape()])).data();
    const again = await append([shape()]);
    expect([again.status, JSON.parse(again.body).error.data.cairn.details]).toEqual([
      409,
      { reason: 'import_offset', offset: 1 },
    ]);
    expect((await append([thing({}, 3)], 2)).status).toBe(409);
    expect((await append([thing({}, 2)], 1)).data()).toEqual({ importId, offset: 2 });
    expect((await append([], 2)).data()).toEqual({ importId, offset: 2 });
  });

  it('is an append that is too large', async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => lineOf({ recordId: n + 1 }));
    const refused = await append(many);
    expect([refused.status, refused.message]).toEqual([413, expect.stringContaining('at most 1000 lines')]);
    expect((await append(many.slice(1))).status).toBe(200);
    const large = [1, 2].map((n) => thing({ data: { a: 'x'.repeat(1_000_000 * n + 100_000) } }));
    expect((await append([...large, ...large], 1_000)).status).toBe(413);
  });

  it('is an end that counts other rows than came', async () => {
    (await append([shape(), thing()])).data();
    for (const recordCount of [1, 3]) {
      const end = { type: 'end', recordCount } as const;
      const refused = await world.session('import.finish', { ...COPY, importId, end });
      expect([refused.status, refused.message]).toEqual([
        409,
        expect.stringContaining(`counts ${recordCount} rows, but the import has 2`),
      ]);
    }
    expect((await append([thing({}, 3)], 2)).data()).toEqual({ importId, offset: 3 });
    expect(await finish(world.session, COPY, { importId, recordCount: 3 })).toMatchObject({ recordCount: 3 });
  });

  it('is anything for an import that is not there, or that is complete', async () => {
    (await append([shape()])).data();
    const unknown = { ...COPY, importId: 'nobody', offset: 0, lines: '' };
    expect((await world.session('import.append', unknown)).status).toBe(404);
    await finish(world.session, COPY, { importId, recordCount: 1 });
    expect(await finish(world.session, COPY, { importId, recordCount: 1 })).toMatchObject({ state: 'complete' });
    expect((await append([thing()], 1)).status).toBe(409);
    expect((await world.session('import.abort', { ...COPY, importId })).status).toBe(409);
    expect((await world.session('import.abort', COPY)).data()).toEqual({ done: true });
    expect((await begin()).data()).toEqual({ importId, offset: 1 });
    expect((await world.session('repo.stats', COPY)).data()).toMatchObject({ counts: { shape: 1 } });
  });

  it('is an archived repository, and one that holds something', async () => {
    await world.session('repo.archive', COPY);
    expect((await begin()).code).toBe('ARCHIVED');
    expect((await append([shape()])).code).toBe('ARCHIVED');
    await world.session('repo.unarchive', COPY);
    await importFile(world.session, COPY, { header: headerOf(AT), lines: [shape()], recordCount: 1 });
    await world.commit([{ name: 'Shape1/own', data: {} }], { at: COPY });
    const refused = await begin();
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('is at sequence 6')]);
  });

  it('is an increment of too many rows', async () => {
    await importFile(world.session, COPY, { header: headerOf(AT), lines: [shape()], recordCount: 1 });
    importId = (await begin(headerOf(AT + 1, AT))).data().importId;
    for (let offset = 0; offset <= 20; offset += 10) {
      const lines = Array.from({ length: 10 }, (_, n) => thing({ repoSeq: AT + 1 }, offset + n + 2));
      const { status, message } = await append(lines, offset);
      if (offset < 20) expect(status).toBe(200);
      else expect([status, message]).toEqual([413, expect.stringContaining('at most 20 rows')]);
    }
  });
});
