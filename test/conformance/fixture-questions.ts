// Tools and a prompt that ask the client for input before they answer. Only the newer protocol supports this without a
// session.
import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { declaredBy, text } from './fixture-content.ts';

/** Signs the state that makes a round trip through the client. */
export const STATE = createRequestStateCodec({ key: 'a key of tests, of 32 bytes or more' });

const NAME = z.object({ name: z.string() });
const COLOR = z.object({ color: z.string() });
const CONFIRMATION = z.object({ ok: z.boolean() });
const CONTEXT = z.object({ context: z.string() });

const ask = (message: string, requestedSchema: z.ZodObject) => inputRequired.elicit({ message, requestedSchema });
const sample = (question: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens: 100 });
const said = (words: string) => ({ content: [text(words)] });

type Question = (context: ServerContext) => Promise<{ content: ReturnType<typeof text>[] } | InputRequiredResult>;

const QUESTIONS: Readonly<Record<string, Question>> = {
  test_input_required_result_elicitation: async ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name', NAME);
    if (answer !== undefined) return said(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', NAME) } });
  },
  test_input_required_result_sampling: async ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.capital_question;
    if (answer !== undefined) return said(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
  },
  test_input_required_result_list_roots: async ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.client_roots;
    if (answer !== undefined) return said(JSON.stringify(answer));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: async ({ mcpReq }) => {
    if (mcpReq.requestState() !== undefined && mcpReq.inputResponses !== undefined) return said('state-ok');
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', CONFIRMATION) },
      requestState: await STATE.mint('asked'),
    });
  },
  test_input_required_result_tampered_state: async ({ mcpReq }) => {
    if (mcpReq.requestState() !== undefined) return said('state-ok');
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', CONFIRMATION) },
      requestState: await STATE.mint('asked'),
    });
  },
  test_input_required_result_multiple_inputs: async ({ mcpReq }) => {
    const { user_name, greeting, client_roots } = mcpReq.inputResponses ?? {};
    if (user_name !== undefined && greeting !== undefined && client_roots !== undefined) return said('All answered.');
    return inputRequired({
      inputRequests: {
        user_name: ask('What is your name?', NAME),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await STATE.mint('asked'),
    });
  },
  test_input_required_result_multi_round: async ({ mcpReq }) => {
    const color = acceptedContent(mcpReq.inputResponses, 'step2', COLOR);
    const name = acceptedContent(mcpReq.inputResponses, 'step1', NAME);
    if (mcpReq.requestState() === 'step2' && color !== undefined) return said(`You like ${color.color}.`);
    if (mcpReq.requestState() === 'step1' && name !== undefined) {
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', COLOR) },
        requestState: await STATE.mint('step2'),
      });
    }
    return inputRequired({
      inputRequests: { step1: ask('Step 1: What is your name?', NAME) },
      requestState: await STATE.mint('step1'),
    });
  },
  test_input_required_result_capabilities: async (context) => {
    const declared = declaredBy(context);
    if (context.mcpReq.inputResponses !== undefined) return said('Answered.');
    return inputRequired({
      inputRequests: {
        ...(declared.sampling !== undefined && { greeting: sample('Generate a greeting') }),
        ...(declared.elicitation !== undefined && { user_name: ask('What is your name?', NAME) }),
      },
    });
  },
  // The SDK refuses a request for a capability that the client has not declared.
  test_missing_capability: async ({ mcpReq }) => {
    if (mcpReq.inputResponses !== undefined) return said('Answered.');
    return inputRequired({ inputRequests: { greeting: sample('Generate a greeting') } });
  },
  test_streaming_elicitation: async ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_name', NAME);
    if (answer !== undefined) return said(`Hello, ${answer.name}!`);
    return inputRequired({ inputRequests: { user_name: ask('What is your name?', NAME) } });
  },
};

export function registerQuestions(server: McpServer): void {
  for (const [name, run] of Object.entries(QUESTIONS)) {
    server.registerTool(
      name,
      { description: `For the scenario of ${name}.`, inputSchema: z.object({}) },
      (_, context) => run(context),
    );
  }
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'For the scenario of a prompt that asks.' },
    async ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, 'user_context', CONTEXT);
      if (answer !== undefined) return { messages: [{ role: 'user', content: text(answer.context) }] };
      return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', CONTEXT) } });
    },
  );
}
