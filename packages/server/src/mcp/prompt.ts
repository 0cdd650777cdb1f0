// Prompts on modelling and writing, and completion of their arguments.
import { CairnError } from '@cairn/protocol/errors';
import type { CompleteResult, GetPromptResult, Prompt, PromptMessage } from '@modelcontextprotocol/server';
import { ZodError } from 'zod';
import type { Context } from '../access/context.ts';
import { callProcedure } from '../procedures.ts';
import { completeOrganization, completeRepository } from '../read/thing.ts';
import { type Completion, inProtocol, invalidParams, shortened } from './message.ts';
import { RESOURCE_TEMPLATES, readContents, textUri } from './resource.ts';
import type { McpCall } from './tool-call.ts';
import { HOW_TO_MODEL, HOW_TO_WRITE } from './tool-cookbook.ts';

const MODEL_TEXT = textOf('Model knowledge in a Cairn repository.', [
  ...HOW_TO_MODEL,
  'Write shapes with shape_set, try records with commit_submit and dryRun, then write them.',
]);

const WRITE_TEXT = textOf('Write records into a Cairn repository.', [
  'repo_describe shows shapes, fields and counts. Read the records that you want to change with thing_get.',
  ...HOW_TO_WRITE,
  'Read important records again with thing_get or thing_query.',
]);

function textOf(title: string, steps: readonly string[]): string {
  return [title, '', ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
}

const PROMPTS: Readonly<Record<string, { title: string; description: string; text: string }>> = {
  how_to_model: {
    title: 'How to model',
    description: 'Explains how to choose shapes, things, assertions and collections.',
    text: MODEL_TEXT,
  },
  how_to_write: {
    title: 'How to write',
    description: 'Explains how to add, revise and retract records.',
    text: WRITE_TEXT,
  },
};

const REPOSITORY_ARGUMENTS = [
  { name: 'orgName', description: 'The organization of the repository.', required: false },
  { name: 'repoName', description: 'The repository, whose overview is included.', required: false },
];

export const PROMPT_LIST: readonly Prompt[] = Object.entries(PROMPTS).map(([name, { title, description }]) => ({
  ...{ name, title, description },
  arguments: REPOSITORY_ARGUMENTS,
}));

function isPrompt(name: string): boolean {
  return Object.hasOwn(PROMPTS, name);
}

export async function getPrompt(
  call: McpCall,
  name: string,
  { orgName, repoName }: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const prompt = isPrompt(name) ? PROMPTS[name] : undefined;
  if (prompt === undefined) throw invalidParams(`There is no prompt ${shortened(name)}. See prompts/list.`);
  if ((orgName === undefined) !== (repoName === undefined))
    throw invalidParams('Give both orgName and repoName, or neither.');
  const advice: PromptMessage = { role: 'user', content: { type: 'text', text: prompt.text } };
  if (orgName === undefined || repoName === undefined) return { description: prompt.description, messages: [advice] };
  const resource = await readContents(call, textUri({ orgName, repoName }, 'llms'));
  return {
    description: prompt.description,
    messages: [advice, { role: 'user', content: { type: 'resource', resource } }],
  };
}

const VALUES_MAX = 100;
const limit = VALUES_MAX + 1;

export async function complete({ context }: McpCall, params: Completion): Promise<CompleteResult> {
  requireKnown(params.ref);
  const found = await inProtocol(() => find(context, params));
  return { completion: { ...found, values: [...found.values] } };
}

interface FoundValues {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

const NO_VALUES: FoundValues = { values: [], hasMore: false };

function firstOf(names: readonly string[]): FoundValues {
  return { values: names.slice(0, VALUES_MAX), hasMore: names.length > VALUES_MAX };
}

function requireKnown(ref: Completion['ref']): void {
  if (ref.type === 'ref/prompt') {
    if (!isPrompt(ref.name)) throw invalidParams(`There is no prompt ${shortened(ref.name)}. See prompts/list.`);
  } else if (!RESOURCE_TEMPLATES.some(({ uriTemplate }) => uriTemplate === ref.uri)) {
    throw invalidParams(`There is no template ${shortened(ref.uri)}. See resources/templates/list.`);
  }
}

async function find(context: Context, { argument, context: given }: Completion): Promise<FoundValues> {
  const { name, value: beginning } = argument;
  const { orgName, repoName } = given?.arguments ?? {};
  try {
    if (name === 'orgName') return firstOf(await completeOrganization(context, { beginning, limit }));
    if (orgName === undefined) return NO_VALUES;
    if (name === 'repoName') return firstOf(await completeRepository(context, { orgName, beginning, limit }));
    if (name !== 'wref' || repoName === undefined) return NO_VALUES;
    return await completeWref(context, { orgName, repoName, beginning });
  } catch (error) {
    // Incomplete, hidden or missing names have no completion, which is not an error.
    if (error instanceof ZodError || (error instanceof CairnError && error.status < 429)) return NO_VALUES;
    throw error;
  }
}

async function completeWref(
  context: Context,
  { beginning, ...address }: { orgName: string; repoName: string; beginning: string },
): Promise<FoundValues> {
  // An asterisk would act as a wildcard, and no name contains one.
  if (beginning.includes('*')) return NO_VALUES;
  const input = { ...address, match: `${beginning}**`, order: 'name', limit: VALUES_MAX } as const;
  const found = await callProcedure(context, 'thing.head', input);
  if (!('items' in found)) return NO_VALUES;
  return { values: found.items.map(({ wref }) => wref), hasMore: found.nextCursor !== undefined };
}
