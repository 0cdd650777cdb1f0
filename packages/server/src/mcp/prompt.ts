// Prompts: how to model and how to write, with what a repository holds where one is named.
import type { GetPromptResult, Prompt, PromptMessage } from '@modelcontextprotocol/server';
import { invalid } from './protocol-error.ts';
import { readContents, textUri } from './resource.ts';
import type { McpCall } from './tool-call.ts';

const MODEL_TEXT = `Model knowledge in a Cairn repository.

1. Look first: repo_describe shows the shapes that exist. Use or revise one that fits before you add another.
2. A shape is a kind of thing with fields, such as { "label": "string", "severity?": "number", "owner": { "type": "wref", "shape": "Person" } }. Types: string, number, boolean, wref, array, json. A ? makes a field optional. Say what a field means in its description; set "indexed": true on what will be filtered by.
3. A thing is something that exists: Person/ada. Choose names that you would find again; they are how records refer to each other.
4. A relation that belongs to the record is a wref field. What somebody says, believes, measured or decided about a record is an assertion: a record of its own, with "about", so that it can be revised, doubted or retracted without touching what it is about.
5. Records that belong together, or stand in an order, are a collection.
6. Nothing is overwritten: every revision is a version, and the past can be read. Do not put dates of change or version numbers into data.
7. Write shapes with shape_set, try records with commit_submit and dryRun, then write them.`;

const WRITE_TEXT = `Write records into a Cairn repository.

1. repo_describe shows shapes, fields and what is there. Read what you are about to change: thing_get.
2. commit_submit takes operations, applied in order, all or none:
   { "operation": "add", "name": "Location/cave", "data": { "x": 3 } }
   { "operation": "add", "name": "Belief/cave-safe", "about": "Location/cave", "data": { "safe": true } }
   { "operation": "revise", "name": "Location/cave", "data": { "x": 4 }, "expectedVersion": 1 }
   { "operation": "retract", "name": "Location/cave", "reason": "collapsed" }
3. revise replaces the data as a whole: send all fields. expectedVersion refuses the change when somebody else was faster.
4. A wref field takes the name of a record that exists, or that an earlier operation of the same commit adds.
5. Say in message why you write. Send a submissionId (a UUID) when you might send the same commit twice: it is applied once.
6. With dryRun nothing is written, and you learn what would be refused. When something is refused, the error says which operation and why: correct that one and send the commit again.
7. Read back what matters with thing_get or thing_query.`;

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
  if (prompt === undefined) throw invalid(`There is no prompt ${name}. See prompts/list.`);
  if ((orgName === undefined) !== (repoName === undefined)) throw invalid('Give orgName and repoName, or neither.');
  const advice: PromptMessage = { role: 'user', content: { type: 'text', text: prompt.text } };
  if (orgName === undefined || repoName === undefined) return { description: prompt.description, messages: [advice] };
  const resource = await readContents(call, textUri({ orgName, repoName }, 'llms'));
  return {
    description: prompt.description,
    messages: [advice, { role: 'user', content: { type: 'resource', resource } }],
  };
}
