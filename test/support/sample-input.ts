// A sample input for every procedure, derived from the procedure table, so new procedures are covered automatically.
// The names of fields supply what a schema does not say, such as the repository or the record.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES } from '@cairn/protocol/procedures';
import { z } from 'zod';

export interface SampleWorld {
  readonly orgName: string;
  readonly repoName: string;
  /** A shape of the repository with the fields `x`, a number, and `to?`, a wref; and a record of it. */
  readonly shapeName: string;
  readonly recordName: string;
  readonly durableId: string;
  readonly tokenName: string;
  readonly handle: string;
}

type Json = Readonly<Record<string, unknown>>;

/** By field, or by procedure and field if a field has several meanings. */
function samplesIn(world: SampleWorld): Json {
  const { orgName, repoName, shapeName, recordName, durableId, tokenName, handle } = world;
  const fresh = `${shapeName}/fresh`;
  return {
    orgName,
    repoName,
    handle,
    newOrgName: orgName,
    wref: recordName,
    wrefs: [recordName, durableId, `wh:${orgName}/${repoName}/${recordName}`],
    submissionId: 'b7a0f6f2-5b43-4c8c-9d4e-0d6a3f9f7f10',
    fields: { x: { type: 'number', description: 'a number' }, 'to?': 'wref', 'label?': 'string' },
    description: 'a description',
    displayName: 'a display name',
    message: 'a message',
    reason: 'a reason',
    committer: recordName,
    'repo.getContent name': 'readme',
    'repo.setContent name': 'readme',
    'shape.create name': 'Fresh',
    'shape name': shapeName,
    'shape newName': 'Renamed',
    'thing fields': ['x', 'label'],
    'thing shape': shapeName,
    'thing match': `${shapeName}/**`,
    'thing where': ['label:prefix:t', `to:ne:${recordName}`, { fieldPath: 'x', op: 'in', rhs: [1, 2] }],
    'thing about': recordName,
    'thing q': 'a text',
    'thing name': recordName,
    'thing newName': `${shapeName}/renamed`,
    'component name': 'alerts',
    component: `${orgName}/alerts`,
    'component method': 'count',
    'component manifest': { component: { id: 'com.acme.Alerts', name: 'alerts', version: '1.0.0' } },
    'component args': { text: 'a text' },
    'token.create name': 'fresh',
    'token name': tokenName,
    'subscription filter': { shape: shapeName, any: [{ name: recordName }, { match: `${shapeName}/**` }] },
    webhookUrl: 'https://hooks.example.com/a/path',
    keys: { WEBHOOK_API_KEY: 'a value' },
    key: 'WEBHOOK_API_KEY',
    runId: `run_${'0'.repeat(26)}`,
    name: 'fresh',
    newName: 'renamed',
    scopes: [
      {
        resource: `${orgName}/${repoName}`,
        permissions: ['repo:read'],
        refs: [`${shapeName}/**`],
        shapes: [shapeName],
      },
      { resource: orgName, permissions: ['repo:read'], shapes: [shapeName] },
    ],
    operations: [
      { operation: 'add', kind: 'thing', name: fresh, data: { x: 1, to: recordName, label: 'text' } },
      { operation: 'add', kind: 'thing', name: `${shapeName}/$1`, data: { x: 1, to: '#1' } },
      { operation: 'add', kind: 'assertion', name: `${shapeName}/said`, about: recordName, data: { x: 2 } },
      { operation: 'add', kind: 'shape', name: 'FreshShape', data: { fields: { 'to?': 'wref' }, description: 'text' } },
      { operation: 'add', kind: 'collection', type: 'pair', name: 'Pair/two', members: [recordName, durableId] },
      { operation: 'revise', name: recordName, data: { x: 3 } },
      { operation: 'revise', name: durableId, data: { x: 4 } },
      { operation: 'retract', name: recordName, reason: 'a reason' },
      { operation: 'rename', name: fresh, newName: `${shapeName}/fresher` },
    ],
  };
}

/** Valid unless the schema requires a value for which this file has no sample. */
export function sampleInput(name: ProcedureName, world: SampleWorld): Json {
  const schema = z.toJSONSchema(PROCEDURES[name].input as z.ZodType, { io: 'input', unrepresentable: 'any' });
  const samples = samplesIn(world);
  const [noun = ''] = name.split('.');
  const sampleOf = (field: string) => samples[`${name} ${field}`] ?? samples[`${noun} ${field}`] ?? samples[field];
  return sampleFor(schema as Schema, sampleOf) as Json;
}

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
}

/** Optional fields are included if there is a sample for them. */
function sampleFor(schema: Schema, sampleOf: (field: string) => unknown): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return sampleFor(schema.anyOf[0] ?? {}, sampleOf);
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => {
        const sample = sampleOf(field);
        if (sample !== undefined) return [[field, sample]];
        return schema.required?.includes(field) ? [[field, sampleFor(inner, sampleOf)]] : [];
      });
      return Object.fromEntries(fields);
    }
    case 'array':
      return [sampleFor(schema.items ?? {}, sampleOf)];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return 'sample';
  }
}

/** Each text of an input, including names of its optional text fields and keys of its free objects. */
export interface TextPlace {
  readonly path: string;
  /** Returns the input with another text at this path. */
  put(text: string): unknown;
}

export function textPlaces(name: ProcedureName, input: Json): TextPlace[] {
  const { properties = {} } = z.toJSONSchema(PROCEDURES[name].input as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
  }) as Schema;
  const optional = Object.entries(properties)
    .filter(([field, { type }]) => type === 'string' && !(field in input))
    .map(([field]): TextPlace => ({ path: field, put: (text) => ({ ...input, [field]: text }) }));
  return [...placesIn(input, '', false), ...optional];
}

function placesIn(value: unknown, path: string, free: boolean): TextPlace[] {
  if (typeof value === 'string') return [{ path, put: (text) => text }];
  if (Array.isArray(value)) {
    return value.flatMap((member, at) =>
      placesIn(member, `${path}/${at}`, free).map((place) => ({
        path: place.path,
        put: (text) => value.with(at, place.put(text)),
      })),
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, member]) => {
    const inner = placesIn(member, `${path}/${field}`, free || field === 'data' || field === 'fields');
    const within = inner.map((place) => ({
      path: place.path,
      put: (text: string) => ({ ...value, [field]: place.put(text) }),
    }));
    return free ? [...within, renamedKey(value as Json, field, path)] : within;
  });
}

function renamedKey(value: Json, field: string, path: string): TextPlace {
  return {
    path: `${path}/${field} (its name)`,
    // Object.fromEntries rather than assignment, so that `__proto__` becomes an ordinary key.
    put: (text) =>
      Object.fromEntries(Object.entries(value).map(([key, member]) => [key === field ? text : key, member])),
  };
}
