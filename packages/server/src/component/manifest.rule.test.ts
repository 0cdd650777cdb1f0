// Refused and accepted parts of a manifest. operations/component-manifest.test.ts tests the same over a procedure.

import { manifestSchema } from '@cairn/protocol/manifest';
import { joinManifest } from '@cairn/protocol/manifest/check';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BAD_MANIFESTS } from '../../../../test/support/bad-manifest.ts';
import { fullManifest, type ManifestJson, smallManifest } from '../../../../test/support/manifest.ts';
import { checkManifest } from './manifest.rule.ts';

const changed = (change: (manifest: ManifestJson) => void): ManifestJson => {
  const manifest = structuredClone(fullManifest());
  change(manifest);
  return manifest;
};

const pathsOf = (found: readonly { path: string }[]) => found.map(({ path }) => path);

describe('a manifest', () => {
  it('that uses everything is good, and so is the smallest', () => {
    for (const manifest of [fullManifest(), smallManifest()]) {
      expect(checkManifest(manifest)).toMatchObject({ problems: [], warnings: [] });
    }
  });

  it.each(BAD_MANIFESTS.filter(({ what }) => !what.startsWith('another name')))(
    'with $what is refused at $path',
    ({ manifest, path }) => {
      const { problems } = checkManifest(manifest);
      expect(pathsOf(problems)).toContain(path);
      for (const { message } of problems) expect(message).toMatch(/^\S.*\S$/);
    },
  );

  it('has all its problems named at once', () => {
    const manifest = changed((m) => {
      m.seeds[0].shape = 'None';
      m.health = {};
      m.cli.methods[0].args[1].default = 0;
      m.shapes[1].fields.count = 'integer';
    });
    const expected = ['seeds.0.shape', 'cli.methods.0.args.1.default', 'shapes.1.fields.count'];
    expect(pathsOf(checkManifest(manifest).problems)).toEqual(expected);
    const misformed = { component: { id: 'x', name: 'X', version: '1' }, shapes: [{}], seeds: 3 };
    expect(pathsOf(checkManifest(misformed).problems)).toEqual([
      ...['component.id', 'component.name', 'component.version', 'shapes.0.name', 'shapes.0.fields', 'seeds'],
    ]);
  });

  it('warns of a first record whose name begins with its shape', () => {
    const manifest = changed((m) => {
      m.seeds[0].name = `${m.seeds[0].shape}/${m.seeds[0].name}`;
      m.health = {};
    });
    const { problems, warnings } = checkManifest(manifest);
    expect([pathsOf(problems), pathsOf(warnings)]).toEqual([[], ['seeds.0.name']]);
  });

  it('keeps what is not known here, and says where it is', () => {
    const manifest = changed((m) => {
      m.runtime = { memory: 1 };
      m.component.author = 'ada';
      m.shapes[0].icon = 'x';
      m.credentials[0].requiredKeys[0].secret = true;
      m.subscriptions[0].trigger.priority = 1;
      m.cli.methods[0].args[0].alias = 'u';
      m.health.requires.memory = 1;
      m.teardown.subscriptions.after = 'x';
      m.actions.push({ anything: 1 });
    });
    const { problems, warnings } = checkManifest(manifest);
    expect(problems).toEqual([]);
    expect(pathsOf(warnings).sort()).toEqual([
      'cli.methods.0.args.0.alias',
      'component.author',
      'credentials.0.requiredKeys.0.secret',
      'health.requires.memory',
      'runtime',
      'shapes.0.icon',
      'subscriptions.0.trigger.priority',
      'teardown.subscriptions.after',
    ]);
  });

  it('is bounded in bytes and in depth, and so are the answers', () => {
    const large = { ...smallManifest(), filler: 'é'.repeat(300 * 1024) };
    expect(checkManifest(large).problems).toEqual([{ path: '', message: expect.stringContaining('524288') }]);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(checkManifest({ ...smallManifest(), deep }).problems).toEqual([
      { path: '', message: expect.stringContaining('64 levels') },
    ]);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field-${at}`.repeat(9), at]));
    expect(checkManifest({ ...smallManifest(), ...many }).warnings).toHaveLength(100);
    const wrong = changed((m) => {
      m.seeds = Array.from({ length: 1_000 }, () => ({ shape: 'None', name: 'a', data: {} }));
    });
    expect(checkManifest(wrong).problems).toHaveLength(100);
  });

  it('is refused, never stumbled over, whatever JSON it is', () => {
    fc.assert(fc.property(fc.jsonValue(), (json) => void checkManifest(json)));
    const keys = Object.keys(fullManifest());
    const part = fc.oneof(fc.jsonValue(), fc.constant(JSON.parse('{"__proto__":{"name":1},"name":"a"}')));
    const swapped = fc.tuple(fc.constantFrom(...keys, '__proto__', 'toString'), part);
    fc.assert(fc.property(swapped, ([key, value]) => void checkManifest({ ...fullManifest(), [key]: value })));
    const place = fc.tuple(fc.nat(), fc.oneof(fc.constant(undefined), fc.jsonValue()));
    fc.assert(
      fc.property(place, ([at, value]) => {
        const manifest = fullManifest();
        const places = placesIn(manifest);
        const { parent, key } = places[at % places.length] ?? { parent: manifest, key: 'component' };
        if (value === undefined) delete parent[key];
        else parent[key] = value;
        checkManifest(manifest);
      }),
      { numRuns: 500 },
    );
  });

  it('loses no field, whatever it is called', () => {
    const fields = JSON.parse('{"__proto__":"number","x":"number"}');
    const manifest = changed((m) => {
      m.shapes[1].fields = fields;
      m.seeds = [{ shape: 'Total', name: 'a', data: JSON.parse('{"__proto__":"none","x":1}') }];
      m.health = {};
    });
    expect(checkManifest(manifest).problems).toMatchObject([{ path: 'seeds.0.data.__proto__' }]);
  });
});

interface Place {
  readonly parent: ManifestJson;
  readonly key: string;
}

function placesIn(value: ManifestJson): Place[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    { parent: value, key },
    ...(typeof inner === 'object' && inner !== null ? placesIn(inner) : []),
  ]);
}

describe('a manifest in two files', () => {
  const { component, ...rest } = fullManifest();

  it('is one, however it is divided', () => {
    for (const [one, other] of [
      [{ component }, rest],
      [component, rest],
      [fullManifest(), {}],
      [{}, fullManifest()],
      [fullManifest(), fullManifest()],
      [{ component: { id: component.id } }, { ...fullManifest(), $schema: 'other' }],
    ]) {
      const { json, problems } = joinManifest(one, other);
      expect(problems).toEqual([]);
      expect({ ...(json as object), $schema: undefined }).toEqual({ ...fullManifest(), $schema: undefined });
    }
  });

  it('says where the two disagree', () => {
    const other = changed((m) => {
      m.component.version = '1.1.0';
      m.seeds.pop();
      m.cli.description = 'Another.';
    });
    const { problems } = joinManifest(fullManifest(), other);
    expect(pathsOf(problems)).toEqual(['component.version', 'seeds', 'cli.description']);
    expect(problems[0]?.message).toContain('component.json has "1.0.0" and manifest.json has "1.1.0"');
  });

  it('is refused where a file is no object', () => {
    expect(joinManifest([], {}).problems).toMatchObject([{ message: expect.stringContaining('component.json') }]);
    expect(joinManifest({}, 'x').problems).toMatchObject([{ message: expect.stringContaining('manifest.json') }]);
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => void joinManifest(one, other)));
  });
});

describe('the JSON Schema of manifests', () => {
  const schema = z.fromJSONSchema(manifestSchema('https://cairn.example.com') as never);

  it('takes what is good, and what other hosts add', () => {
    expect(schema.safeParse(fullManifest()).error).toBeUndefined();
    expect(schema.safeParse(smallManifest()).error).toBeUndefined();
    expect(schema.safeParse({ ...fullManifest(), runtime: {}, $schema: './schema.json' }).success).toBe(true);
  });

  it('refuses what is not of the form, and nothing that the server takes', () => {
    const refused = BAD_MANIFESTS.filter(({ manifest }) => !schema.safeParse(manifest).success);
    expect(refused.length).toBeGreaterThan(25);
    for (const { what, manifest } of refused) {
      expect([what, checkManifest(manifest).manifest]).toEqual([what, undefined]);
    }
    const unseen = BAD_MANIFESTS.filter(
      (bad) => !refused.includes(bad) && checkManifest(bad.manifest).manifest === undefined,
    );
    expect(unseen.map(({ what }) => what)).toEqual([]);
  });
});
