// Completion of the arguments of prompts and resource addresses: names that the caller may see, and no others.
import { CairnError } from '@cairn/protocol/errors';
import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server';
import { ZodError } from 'zod';
import type { Context } from '../operations/context.ts';
import { callProcedure } from '../operations/procedure-table.ts';
import { isPrompt } from './prompt.ts';
import { inProtocol, invalid } from './protocol-error.ts';
import { RESOURCE_TEMPLATES } from './resource.ts';
import type { McpCall } from './tool-call.ts';

// The protocol allows no more.
const VALUES_MAX = 100;
const NAMES_READ_MAX = 500;

interface Found {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

const NOTHING: Found = { values: [], hasMore: false };

export async function complete({ context }: McpCall, params: CompleteRequestParams): Promise<CompleteResult> {
  requireKnown(params.ref);
  const { values, hasMore } = await inProtocol(() => find(context, params));
  return { completion: { values: values.slice(0, VALUES_MAX), hasMore: hasMore || values.length > VALUES_MAX } };
}

function requireKnown(ref: CompleteRequestParams['ref']): void {
  if (ref.type === 'ref/prompt') {
    if (!isPrompt(ref.name)) throw invalid(`There is no prompt ${ref.name}. See prompts/list.`);
  } else if (!RESOURCE_TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri)) {
    throw invalid(`There is no template ${ref.uri}. See resources/templates/list.`);
  }
}

async function find(context: Context, { argument, context: given }: CompleteRequestParams): Promise<Found> {
  const { name, value } = argument;
  const { orgName, repoName } = given?.arguments ?? {};
  try {
    if (name === 'orgName') return await findOrganizations(context, value);
    if (name === 'repoName' && orgName !== undefined) return await findRepositories(context, { orgName, value });
    if (name === 'wref' && orgName !== undefined && repoName !== undefined)
      return await findWrefs(context, { orgName, repoName, value });
    return NOTHING;
  } catch (error) {
    // What is typed only half, hidden or missing has no completion; that is no mistake.
    if (error instanceof ZodError || (error instanceof CairnError && error.status < 429)) return NOTHING;
    throw error;
  }
}

async function findOrganizations(context: Context, value: string): Promise<Found> {
  const { items, nextCursor } = await callProcedure(context, 'org.list', { limit: NAMES_READ_MAX });
  return beginning(value, items, nextCursor);
}

async function findRepositories(
  context: Context,
  { orgName, value }: { orgName: string; value: string },
): Promise<Found> {
  const { items, nextCursor } = await callProcedure(context, 'repo.list', { orgName, limit: NAMES_READ_MAX });
  return beginning(value, items, nextCursor);
}

function beginning(value: string, items: readonly { name: string }[], nextCursor: string | undefined): Found {
  const values = items.map(({ name }) => name).filter((name) => name.startsWith(value));
  return { values, hasMore: nextCursor !== undefined };
}

interface WrefSearch {
  readonly orgName: string;
  readonly repoName: string;
  readonly value: string;
}

async function findWrefs(context: Context, { value, ...address }: WrefSearch): Promise<Found> {
  // No name holds one, and it would mean anything.
  if (value.includes('*')) return NOTHING;
  const input = { ...address, match: `${value}**`, order: 'name', limit: VALUES_MAX } as const;
  const found = await callProcedure(context, 'thing.head', input);
  if (!('items' in found)) return NOTHING;
  return { values: found.items.map(({ wref }) => wref), hasMore: found.nextCursor !== undefined };
}
