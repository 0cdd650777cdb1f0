// Prompts: how to model and how to write, with what a repository holds where one is named.
import type { GetPromptResult, Prompt, PromptMessage } from '@modelcontextprotocol/server';
import { invalid, shortened } from './protocol-error.ts';
import { readContents, textUri } from './resource.ts';
import type { McpCall } from './tool-call.ts';
import { HOW_TO_MODEL, HOW_TO_WRITE } from './tool-cookbook.ts';

const MODEL_TEXT = textOf('Model knowledge in a Cairn repository.', [
  ...HOW_TO_MODEL,
  'Write shapes with shape_set, try records with commit_submit and dryRun, then write them.',
]);

const WRITE_TEXT = textOf('Write records into a Cairn repository.', [
  'repo_describe shows shapes, fields and what is there. Read what you are about to change: thing_get.',
  ...HOW_TO_WRITE,
  'Read back what matters with thing_get or thing_query.',
]);

function textOf(title: string, steps: readonly string[]): string {
  return [title, '', ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
}

interface PromptRow {
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

const PROMPTS: Readonly<Record<string, PromptRow>> = {
  how_to_model: {
    title: 'How to model',
    description: 'How to choose shapes, things, assertions and collections for some knowledge.',
    text: MODEL_TEXT,
  },
  how_to_write: {
    title: 'How to write',
    description: 'How to add, revise and retract records so that it succeeds.',
    text: WRITE_TEXT,
  },
};

const REPOSITORY_ARGUMENTS = [
  { name: 'orgName', description: 'The organization of the repository that it is about.', required: false },
  { name: 'repoName', description: 'The repository; what it holds is shown then.', required: false },
];

export const PROMPT_LIST: readonly Prompt[] = Object.entries(PROMPTS).map(([name, { title, description }]) => ({
  ...{ name, title, description },
  arguments: REPOSITORY_ARGUMENTS,
}));

export function isPrompt(name: string): boolean {
  return Object.hasOwn(PROMPTS, name);
}

export async function getPrompt(
  call: McpCall,
  name: string,
  { orgName, repoName }: Readonly<Record<string, string>> = {},
): Promise<GetPromptResult> {
  const prompt = isPrompt(name) ? PROMPTS[name] : undefined;
  if (prompt === undefined) throw invalid(`There is no prompt ${shortened(name)}. See prompts/list.`);
  if ((orgName === undefined) !== (repoName === undefined)) throw invalid('Give orgName and repoName, or neither.');
  const advice: PromptMessage = { role: 'user', content: { type: 'text', text: prompt.text } };
  if (orgName === undefined || repoName === undefined) return { description: prompt.description, messages: [advice] };
  const resource = await readContents(call, textUri({ orgName, repoName }, 'llms'));
  return {
    description: prompt.description,
    messages: [advice, { role: 'user', content: { type: 'resource', resource } }],
  };
}
