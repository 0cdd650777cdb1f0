// Schemas of tools as clients are told of them. A model is helped by names, types, choices and what fields mean; limits and
// patterns cost it more than they tell, and whoever passes one is told so by the check itself, which keeps them all.
import type { Tool } from '@modelcontextprotocol/server';
import { type ZodObject, z } from 'zod';

type Json = { readonly [member: string]: unknown };

const LEFT_OUT: ReadonlySet<string> = new Set([
  '$schema',
  '$defs',
  'additionalProperties',
  'format',
  'maximum',
  'maxItems',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
]);

/** Fields that many tools have in common. What they mean stands once, in `capabilities`. */
const IN_COMMON: ReadonlySet<string> = new Set(['limit', 'cursor', 'wref', 'atRepoSeq', 'includeRetracted']);

export function schemaOf(schema: ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  return compact(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json) as Tool['inputSchema'];
}

function compact(schema: Json): Json {
  const members = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(members.map(([name, value]) => compactMember(name, value)));
}

function compactMember(name: string, value: unknown): [string, unknown] {
  // What refers to itself is told in words.
  if (name === '$ref') return ['type', 'object'];
  if (name === 'properties') return [name, compactFields(value as Json)];
  if (name === 'items') return [name, compact(value as Json)];
  if (name === 'anyOf') return [name, (value as Json[]).map(compact)];
  return [name, value];
}

function compactFields(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const { description, ...rest } = compact(value as Json);
      return [name, !description || IN_COMMON.has(name) ? rest : { ...rest, description }];
    }),
  );
}
