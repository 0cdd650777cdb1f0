// Completion of the arguments of prompts and resource addresses: names that the caller may see, and no others.
import { CairnError } from '@cairn/protocol/errors';
import type { CompleteResult } from '@modelcontextprotocol/server';
import { ZodError } from 'zod';
import type { Context } from '../access/context.ts';
import { callProcedure } from '../procedures.ts';
import { completeOrganization, completeRepository } from '../read/name-completion.ts';
import type { Completion } from './params.ts';
import { isPrompt } from './prompt.ts';
import { inProtocol, invalid, shortened } from './protocol-error.ts';
import { RESOURCE_TEMPLATES } from './resource.ts';
import type { McpCall } from './tool-call.ts';

// The protocol allows no more.
const VALUES_MAX = 100;
/** One more tells whether there are more. */
const limit = VALUES_MAX + 1;

export async function complete({ context }: McpCall, params: Completion): Promise<CompleteResult> {
  requireKnown(params.ref);
  const found = await inProtocol(() => find(context, params));
  return { completion: { ...found, values: [...found.values] } };
}

interface Found {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

const NOTHING: Found = { values: [], hasMore: false };

function firstOf(names: readonly string[]): Found {
  return { values: names.slice(0, VALUES_MAX), hasMore: names.length > VALUES_MAX };
}

function requireKnown(ref: Completion['ref']): void {
  if (ref.type === 'ref/prompt') {
    if (!isPrompt(ref.name)) throw invalid(`There is no prompt ${shortened(ref.name)}. See prompts/list.`);
  } else if (!RESOURCE_TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri)) {
    throw invalid(`There is no template ${shortened(ref.uri)}. See resources/templates/list.`);
  }
}

async function find(context: Context, { argument, context: given }: Completion): Promise<Found> {
  const { name, value: beginning } = argument;
  const { orgName, repoName } = given?.arguments ?? {};
  try {
    if (name === 'orgName') return firstOf(await completeOrganization(context, { beginning, limit }));
    if (orgName === undefined) return NOTHING;
    if (name === 'repoName') return firstOf(await completeRepository(context, { orgName, beginning, limit }));
    if (name !== 'wref' || repoName === undefined) return NOTHING;
    return await completeWref(context, { orgName, repoName, beginning });
  } catch (error) {
    // What is typed only half, hidden or missing has no completion; that is no mistake.
    if (error instanceof ZodError || (error instanceof CairnError && error.status < 429)) return NOTHING;
    throw error;
  }
}

interface WrefBeginning {
  readonly orgName: string;
  readonly repoName: string;
  readonly beginning: string;
}

async function completeWref(context: Context, { beginning, ...address }: WrefBeginning): Promise<Found> {
  // No name holds one, and it would mean anything.
  if (beginning.includes('*')) return NOTHING;
  const input = { ...address, match: `${beginning}**`, order: 'name', limit: VALUES_MAX } as const;
  const found = await callProcedure(context, 'thing.head', input);
  if (!('items' in found)) return NOTHING;
  return { values: found.items.map(({ wref }) => wref), hasMore: found.nextCursor !== undefined };
}
