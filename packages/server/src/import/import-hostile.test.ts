// Files that no export wrote: each is refused by line number or as a whole, and earlier lines stay invisible.

import { formatDurableId } from '@cairn/model/wref';
import type { ExportHeader } from '@cairn/protocol/export';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import { describe, expect, it } from 'vitest';
import { headerOf, lineOf, thingLine } from '../../../../test/support/import/file.ts';
import { COPY, createImportWorld, type ImportWorld } from '../../../../test/support/import/world.ts';
import { ENGINES } from '../../../../test/support/store.ts';

const SHAPE = lineOf({ recordId: 1 });
const identity = (recordId: number, version = 1) => `${formatDurableId({ repoId: 77, recordId })}@v${version}`;
const asserted = (row: object) =>
  lineOf({ recordId: 2, kind: 'assertion', name: 'Shape1/x', shapeName: 'Shape1', shapeVersion: 1, data: {}, ...row });

const REFUSED: readonly (readonly [what: string, lines: readonly string[], message: RegExp])[] = [
  ['an id twice', [SHAPE, thingLine({ recordId: 2 }), thingLine({ recordId: 2 })], /^Line 4/],
  ['records out of order', [SHAPE, thingLine({ recordId: 3 }), thingLine({ recordId: 2 })], /^Line 4/],
  ['a name twice', [SHAPE, ...[2, 3].map((recordId) => thingLine({ recordId, name: 'Shape1/x' }))], /^Line 4.*two/],
  ['a record before its shape', [thingLine({ recordId: 2 })], /^Line 2/],
  ['version 0', [lineOf({ recordId: 1, version: 0 })], /^Line 2.*version/],
  ['version -1', [lineOf({ recordId: 1, version: -1 })], /^Line 2.*version/],
  ['version 2^53', [lineOf({ recordId: 1, version: 2 ** 53 })], /^Line 2.*version/],
  [
    'a version that leaves no room',
    [SHAPE, thingLine({ recordId: 2, version: 2 ** 48 - 1, operation: 'revise' })],
    /^Line 3/,
  ],
  ['a record id that leaves no room', [SHAPE, thingLine({ recordId: 2 ** 48 - 1 })], /^Line 3.*durableId/],
  ['a version of a shape that is missing', [lineOf({ recordId: 1, version: 2, recordRepoSeq: 1 })], /^Line 2/],
  ['a sequence beyond the header', [lineOf({ recordId: 1, repoSeq: 9 })], /^Line 2.*repoSeq/],
  ['sequence 0', [lineOf({ recordId: 1, repoSeq: 0 })], /^Line 2.*repoSeq/],
  [
    'a time beyond all',
    [lineOf({ recordId: 1, recordCreatedAt: 2 ** 53 - 1, versionCreatedAt: 2 ** 53 - 1 })],
    /^Line 2/,
  ],
  ['a forged hash', [lineOf({ recordId: 1, dataHash: 'a'.repeat(64) })], /^Line 2.*dataHash/],
  ['an author of no kind', [lineOf({ recordId: 1, createdBy: 'root' })], /^Line 2.*createdBy/],
  ['a key twice', [SHAPE.replace('{', '{"version":1,')], /^Line 2.*twice/],
  ['half a character', [SHAPE.replace('"Shape1"', '"\\ud800"')], /^Line 2/],
  ['U+0000 after the line', [`${SHAPE}\u0000`], /^Line 2/],
  ['U+0000 in a name', [SHAPE, thingLine({ recordId: 2, name: 'Shape1/a\u0000b' })], /^Line 3/],
  ['an empty line', [SHAPE, '', thingLine({ recordId: 2 })], /^Line 3/],
  ['a name that goes up', [SHAPE, thingLine({ recordId: 2, name: 'Shape1/../x' })], /^Line 3/],
  [
    'a shape with a pattern that is none',
    [lineOf({ recordId: 1, data: { fields: { a: { type: 'string', pattern: '(' } } } })],
    /^Line 2/,
  ],
  [
    'a number that does not fit',
    [SHAPE, thingLine({ recordId: 2, data: { a: 1 } }).replace('"a":1', '"a":1e400')],
    /^Line 3/,
  ],
  [
    'a reference where no text is',
    [SHAPE, thingLine({ recordId: 2, refs: [['/constructor/name', identity(1)]] })],
    /^Line 3.*refs/,
  ],
  [
    'a reference to nothing',
    [SHAPE, thingLine({ recordId: 2, data: { a: 'Shape1/z@v1' }, refs: [['/a', identity(9)]] })],
    /refers at \/a/,
  ],
  [
    'a reference to a version to come',
    [SHAPE, thingLine({ recordId: 2, data: { a: 'Shape1@v7' }, refs: [['/a', identity(1, 7)]] })],
    /refers at \/a/,
  ],
  [
    'an assertion about nothing',
    [SHAPE, asserted({ aboutWref: 'Shape1/z@v1', aboutDurableId: identity(9) })],
    /refers/,
  ],
  ['an assertion without about', [SHAPE, asserted({})], /^Line 3.*about/],
  [
    'a committer that is not there',
    [lineOf({ recordId: 1, committerWref: 'Shape1/z@v1', committerDurableId: identity(9) })],
    /committed for/,
  ],
  [
    'a built-in shape of other fields',
    [lineOf({ recordId: 1, name: 'Arc', data: { fields: { x: 'number' } } })],
    /^Line 2.*built-in/,
  ],
  [
    'a shape that refers where none is asked for',
    [lineOf({ recordId: 1, data: { fields: {}, description: 'Shape1' }, refs: [['/description', identity(1)]] })],
    /^Line 2.*refs/,
  ],
  [
    'a text that names another version',
    [SHAPE, thingLine({ recordId: 2, data: { a: 'Shape1@v2' }, refs: [['/a', identity(1)]] })],
    /^Line 3.*version 1/,
  ],
  [
    'an assertion about no version',
    [SHAPE, asserted({ aboutWref: 'Shape1', aboutDurableId: identity(1) })],
    /^Line 3.*about/,
  ],
  [
    'an assertion about all versions',
    [SHAPE, asserted({ aboutWref: 'Shape1@ALL', aboutDurableId: identity(1) })],
    /^Line 3/,
  ],
  [
    'a thing of a collection',
    [
      lineOf({ recordId: 1, name: 'Arc', data: BUILT_IN_SHAPES.Arc }),
      thingLine({ recordId: 2, name: 'Arc/x', shapeName: 'Arc' }),
    ],
    /^Line 3/,
  ],
];

async function send({ session }: ImportWorld, lines: readonly string[], header = headerOf(1)) {
  const begun = await session('import.begin', { ...COPY, header });
  if (begun.status !== 200) return begun;
  const { importId } = begun.data();
  const appended = await session('import.append', { ...COPY, importId, offset: 0, lines: lines.join('\n') });
  if (appended.status !== 200) return appended;
  const end = { type: 'end', recordCount: lines.length } as const;
  for (;;) {
    const finished = await session('import.finish', { ...COPY, importId, end });
    if (finished.status !== 200 || finished.data().state === 'complete') return finished;
  }
}

const HEADERS: readonly (readonly [what: string, change: Partial<ExportHeader>])[] = [
  ['a sequence that leaves no room', { atRepoSeq: 2 ** 53 - 1 }],
  ['sequences the wrong way round', { atRepoSeq: 1, sinceRepoSeq: 2 }],
  ['a negative sequence', { sinceRepoSeq: -1 }],
  ['no id of a commit', { commitId: 'ab' }],
  ['no server', { server: '' }],
];

describe.each(ENGINES)('a file that no export wrote, on %s', (engine) => {
  it('is refused by what is wrong with it, and leaves nothing behind', async () => {
    const world = await createImportWorld(engine);
    const { session } = world;
    for (const [what, lines, message] of REFUSED) {
      const answer = await send(world, lines);
      expect([what, answer.status, answer.code]).toEqual([what, 400, 'VALIDATION_ERROR']);
      expect(answer.message).toMatch(message);
      expect((await session('thing.head', COPY)).data()).toEqual({ repoSeq: 0, items: [] });
      expect((await session('import.abort', COPY)).data()).toEqual({ done: true });
      expect((await session('repo.get', COPY)).data()).not.toHaveProperty('importing');
    }
  });

  it('is refused by its header before anything is sent', async () => {
    const world = await createImportWorld(engine);
    for (const [what, change] of HEADERS) {
      const answer = await send(world, [SHAPE], { ...headerOf(1), ...change });
      expect([what, answer.status, answer.code]).toEqual([what, 400, 'VALIDATION_ERROR']);
      expect((await world.session('repo.get', COPY)).data()).not.toHaveProperty('importing');
    }
  });
});
