// The tool list for clients, made once because it is the same for everyone.

import { invalidField } from '@cairn/model/operation';
import type { RepositoryDescription, ShapeDescription } from '@cairn/protocol/description';
import type { ToolRow } from '@cairn/protocol/row';
import { isForAll } from '@cairn/protocol/tool-way';
import { TOOL_NAMES, TOOLS, type ToolArguments, type ToolName } from '@cairn/protocol/tools';
import type { ContentName } from '@cairn/protocol/vocabulary';
import type { Tool } from '@modelcontextprotocol/server';
import { type ZodObject, z } from 'zod';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { CallProcedure } from './tool.ts';
import { toldLimits } from './tool-call.ts';
import { HOW_TO_WRITE, SIGN_IN } from './tool-cookbook.ts';

function describe(name: ToolName): Tool {
  const row: ToolRow = TOOLS[name];
  const { title, description, output } = row;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(row),
    outputSchema: schemaOf(output, 'output'),
    annotations: annotationsOf(row),
  };
}

/** Drops defaults of arguments that not every call takes, because some clients send all defaults. */
function inputSchemaOf({ input, ways = [] }: ToolRow): Tool['inputSchema'] {
  const schema = schemaOf(input, 'input');
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { default: _, ...rest } = field as Record<string, unknown>;
    return [name, isForAll(ways, name) ? field : rest];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** For read-only tools the protocol ignores the other two hints. */
function annotationsOf({ effect, idempotent, reaches }: ToolRow): Tool['annotations'] {
  const openWorldHint = reaches === true;
  if (effect === 'reads') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    destructiveHint: effect === 'changes',
    idempotentHint: idempotent === true,
    openWorldHint,
  };
}

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

const IN_COMMON: ReadonlySet<string> = new Set(['limit', 'cursor', 'wref', 'atRepoSeq', 'includeRetracted']);

export const TOOL_LIST: readonly Tool[] = TOOL_NAMES.map(describe);

/** Limits and patterns would cost a model more than they help. The input check still enforces them. */
function schemaOf(schema: ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  return compact(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json) as Tool['inputSchema'];
}

function compact(schema: Json): Json {
  const members = Object.entries(schema).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(members.map(([name, value]) => compactMember(name, value)));
}

function compactMember(name: string, value: unknown): [string, unknown] {
  // Recursive schemas are described in words.
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

const TEXT_CHARACTERS_MAX = 16_000;
const SAMPLE_CHARACTERS_MAX = 2_000;
const TEXT_SHAPE = 'Content';

export async function describeForAgent(
  call: CallProcedure,
  { limit, cursor, contents, atRepoSeq: asked, ...address }: ToolArguments<'repo_describe'>,
): Promise<object> {
  const [atRepoSeq, after] = cursor === undefined ? [asked] : readCursor(cursor, asked);
  const described = await call('repo.describe', { ...address, atRepoSeq });
  const { repository, repoSeq, counts } = described;
  const { shapes, nextCursor } = pageOf(described, limit, after);
  const page = {
    repository,
    repoSeq,
    counts,
    shapes: await withSamples(call, { ...address, atRepoSeq: repoSeq }, shapes),
    ...(nextCursor !== undefined && { nextCursor }),
  };
  if (cursor !== undefined) return page;
  return {
    ...page,
    contents: described.contents,
    ...(await readTexts(call, { ...address, atRepoSeq: repoSeq }, { asked: contents, written: described.contents })),
    ...(await permissionIn(call, address)),
    howToWrite: HOW_TO_WRITE,
    limits: toldLimits((await call('diagnostics.capabilities', {})).limits),
  };
}

const position = z.tuple([z.int().min(0), z.string()]);

function readCursor(cursor: string, asked: number | undefined): [number, string] {
  const read = position.safeParse(jsonIn(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (read.success && (asked ?? read.data[0]) === read.data[0]) return read.data;
  throw notACursor();
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function notACursor() {
  return invalidField('cursor', 'cursor: not the nextCursor of a page of this description. Start again without it.');
}

function pageOf({ shapes, repoSeq }: RepositoryDescription, limit: number, after: string | undefined) {
  const start = after === undefined ? 0 : shapes.findIndex(({ name }) => name === after) + 1;
  if (after !== undefined && start === 0) throw notACursor();
  const page = shapes.slice(start, start + limit);
  const last = start + limit < shapes.length ? page.at(-1)?.name : undefined;
  if (last === undefined) return { shapes: page };
  return { shapes: page, nextCursor: Buffer.from(JSON.stringify([repoSeq, last])).toString('base64url') };
}

interface At extends RepositoryAddress {
  readonly atRepoSeq: number;
}

async function withSamples(call: CallProcedure, at: At, shapes: readonly ShapeDescription[]): Promise<object[]> {
  const described: object[] = [];
  // Sequential, because a description must not occupy all database readers.
  for (const shape of shapes) {
    const hasSample = shape.count > 0 && shape.name !== TEXT_SHAPE;
    const sample = hasSample ? await sampleOf(call, at, shape.name) : undefined;
    described.push({ ...shape, ...(sample !== undefined && { sample }) });
  }
  return described;
}

async function sampleOf(call: CallProcedure, at: At, shape: string): Promise<object | undefined> {
  const answer = await call('thing.query', { ...at, shape, order: '-updated', limit: 1 });
  const [record] = 'items' in answer ? answer.items : [];
  if (record === undefined) return undefined;
  const { name, aboutWref, data } = record;
  const isLarge = JSON.stringify(data).length > SAMPLE_CHARACTERS_MAX;
  return { name, ...(aboutWref != null && { about: aboutWref }), ...(isLarge ? { readBy: 'thing_get' } : { data }) };
}

interface Wanted {
  readonly asked: readonly ContentName[] | undefined;
  readonly written: readonly ContentName[];
}

async function readTexts(call: CallProcedure, at: At, { asked, written }: Wanted): Promise<object> {
  const texts: Partial<Record<ContentName, string>> = {};
  const textsLeftOut: object[] = [];
  for (const name of written.filter((one) => (asked ?? ['agents']).includes(one))) {
    const { content } = await call('repo.getContent', { ...at, name });
    const isShown = asked !== undefined || content.length <= TEXT_CHARACTERS_MAX;
    if (isShown) texts[name] = content;
    else textsLeftOut.push({ name, characters: content.length, readBy: `contents: ["${name}"]` });
  }
  return { texts, ...(textsLeftOut.length > 0 && { textsLeftOut }) };
}

const BY_TOKEN = 'Your token lacks repo:write. Ask the user for a token that has it.';
const BY_ROLE =
  'Your role here does not allow writing. Ask the user to get a higher role from an admin of the repository.';

async function permissionIn(call: CallProcedure, address: RepositoryAddress): Promise<object> {
  const { allowed, byToken } = await call('access.checkRepoPermission', { ...address, permission: 'repo:write' });
  if (allowed) return { mayWrite: true };
  const { kind } = await call('auth.whoami', {});
  const withAccount = byToken ? BY_ROLE : BY_TOKEN;
  return {
    mayWrite: false,
    toWrite: kind === 'anonymous' ? `Writing needs an account. ${SIGN_IN}` : withAccount,
  };
}
