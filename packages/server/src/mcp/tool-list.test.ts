// The tool list for every client: few tools, in few bytes, with clear descriptions.

import { attempt } from '@cairn/model/problem';
import { QUERIES } from '@cairn/protocol/procedure-kinds';
import type { ToolRow } from '@cairn/protocol/row';
import { refuseUseless } from '@cairn/protocol/tool-way';
import { TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import { describe, expect, it } from 'vitest';
import { TOOL_LIST } from './tool-list.ts';

const TOOLS_MAX = 20;
const BYTES_MAX = 20_000;

describe('the list of tools', () => {
  it('is short, because every agent pays for every byte of it', () => {
    expect(TOOL_LIST.length).toBeLessThanOrEqual(TOOLS_MAX);
    expect(Buffer.byteLength(JSON.stringify({ tools: TOOL_LIST }))).toBeLessThan(BYTES_MAX);
  });

  it('names tasks', () => {
    expect(TOOL_NAMES).toEqual([
      'capabilities',
      'repo_list',
      'repo_describe',
      'repo_create',
      'thing_query',
      'thing_get',
      'thing_about',
      'thing_graph',
      'thing_changes',
      'commit_log',
      'shape_set',
      'commit_submit',
      'content_set',
      'subscription_list',
      'subscription_set',
      'action_runs',
      'component_list',
      'component_install',
    ]);
    for (const { name, title, description } of TOOL_LIST) {
      expect([name, title, description?.endsWith('.')]).toEqual([name, expect.any(String), true]);
    }
  });

  it('has schemas of objects that a client can check by, without what only costs', () => {
    for (const { name, inputSchema, outputSchema } of TOOL_LIST) {
      const text = JSON.stringify([inputSchema, outputSchema]);
      expect([name, inputSchema.type, outputSchema?.type]).toEqual([name, 'object', 'object']);
      expect([name, text.match(/"(pattern|\$ref|\$defs|maxLength|additionalProperties)"/)]).toEqual([name, null]);
      // Some clients refuse a list that does not say what it is a list of.
      const lists = text.match(/"type":"array"/g)?.length ?? 0;
      expect([name, text.match(/"items":\{/g)?.length ?? 0]).toEqual([
        name,
        expect.toSatisfy((found) => found >= lists),
      ]);
    }
  });

  it('says of each field what it takes, and of each tool what it does to what there is', () => {
    const tools = new Map(TOOL_LIST.map((tool) => [tool.name, tool]));
    expect(tools.get('thing_query')?.inputSchema.required).toEqual(['orgName', 'repoName']);
    expect(tools.get('commit_submit')?.inputSchema.properties?.operations).toMatchObject({
      type: 'array',
      items: { type: 'object' },
    });
    expect(tools.get('subscription_set')?.inputSchema.properties?.filter).toMatchObject({ type: 'object' });
    expect(tools.get('thing_get')?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
    expect(tools.get('commit_submit')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
    expect(tools.get('shape_set')?.annotations).toMatchObject({ destructiveHint: false, idempotentHint: true });
    expect(tools.get('subscription_set')?.annotations).toMatchObject({ destructiveHint: true, openWorldHint: true });
  });

  it('tells no default that would be refused beside another argument', () => {
    for (const { name, inputSchema } of TOOL_LIST) {
      const { ways = [] }: ToolRow = TOOLS[name as ToolName];
      const fields = Object.entries(inputSchema.properties ?? {}) as [string, { default?: unknown }][];
      const defaults = fields
        .filter(([, field]) => 'default' in field)
        .map(([field, { default: value }]) => [field, value]);
      for (const { when } of ways) {
        const sent = { ...Object.fromEntries(defaults), ...when };
        expect([
          name,
          when,
          attempt(() => refuseUseless({ input: TOOLS[name as ToolName].input, ways }, sent)),
        ]).toEqual([name, when, undefined]);
      }
    }
  });

  it('has tools that only read, if that is what they say', () => {
    for (const { name, annotations } of TOOL_LIST) {
      const { procedures } = TOOLS[name as keyof typeof TOOLS];
      const writes = procedures.some((procedure) => !QUERIES.has(procedure));
      expect([name, annotations?.readOnlyHint]).toEqual([name, !writes]);
    }
  });
});
