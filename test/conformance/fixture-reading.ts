// The resources and prompts that scenarios read by name.
import { completable, type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { IMAGE, text } from './fixture-content.ts';

export function registerReading(server: McpServer): void {
  registerResources(server);
  registerPrompts(server);
}

function registerResources(server: McpServer): void {
  const described = (name: string) => ({ description: `For the scenario of ${name}.` });
  server.registerResource('static-text', 'test://static-text', described('text'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('static-binary', 'test://static-binary', described('binary'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: IMAGE.data }],
  }));
  server.registerResource('watched', 'test://watched-resource', described('subscriptions'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'Watched.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, described('templates'), ({ href: uri }, { id }) => ({
    contents: [
      {
        ...{ uri, mimeType: 'application/json' },
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
}

const WORDS = ['paris', 'park', 'party'];

function registerPrompts(server: McpServer): void {
  const described = (name: string) => ({ description: `For the scenario of ${name}.` });
  server.registerPrompt('test_simple_prompt', described('a prompt'), () => ({
    messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }],
  }));
  const argsSchema = z.object({
    arg1: completable(z.string(), (begun) => WORDS.filter((word) => word.startsWith(begun ?? ''))),
    arg2: z.string(),
  });
  server.registerPrompt('test_prompt_with_arguments', { ...described('arguments'), argsSchema }, ({ arg1, arg2 }) => ({
    messages: [{ role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
  }));
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described('resources'), argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', described('pictures'), () => ({
    messages: [
      { role: 'user', content: IMAGE },
      { role: 'user', content: text('Please analyze the image above.') },
    ],
  }));
}
