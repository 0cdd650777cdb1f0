// Tools that write what a repository holds.
import { z } from 'zod';
import { RECORD_PROCEDURES } from './record-procedures.ts';
import { REPO_PROCEDURES } from './repo-procedures.ts';
import { flag, items, text, whole } from './tool-output.ts';
import type { ToolRow } from './tool-row.ts';
import { inWays } from './tool-way.ts';

export const WRITE_TOOLS = {
  shape_set: {
    title: 'Define a shape',
    description:
      'Creates a shape, or gives one that exists a new version: always the whole field set and description. A field is a type (string number boolean wref json, ["string"] for a list; ? after the key: optional) or { "type", "description", "indexed": true to filter by it, "enum", "pattern", "minLength", "maxLength", "minimum", "maximum", "integer", "shape" of a wref }, or an object of fields. Dates are strings. Records keep the version that they were written with.',
    input: RECORD_PROCEDURES['shape.revise'].input.extend({
      fields: z.unknown().meta({ type: 'object', description: 'Such as { "x": "number", "label?": "string" }.' }),
    }),
    output: z.looseObject({ name: text, version: whole, data: z.unknown() }),
    procedures: ['shape.create', 'shape.revise'],
    effect: 'adds',
    idempotent: true,
  },
  commit_submit: {
    title: 'Write records',
    description:
      'Writes operations in order, all or none. {"operation":"add","name":"Shape/name","data":{}}, with "about":"Shape/other" an assertion about that record; {"operation":"revise","name","data"} replaces all data; {"operation":"retract","name","reason"}; {"operation":"rename","name","newName"}; {"type":"arc","members":["A/x","B/y"]} connects (also bond, set, list). Shapes first: shape_set. dryRun: true checks and writes nothing. When refused, mend what the error names and send all of it again.',
    input: z.strictObject({
      ...RECORD_PROCEDURES['commit.submit'].input.shape,
      operations: RECORD_PROCEDURES['commit.submit'].input.shape.operations.meta({
        description: '1 to 10,000.',
        items: { type: 'object' },
      }),
      dryRun: z.boolean().optional(),
    }),
    output: z.looseObject({ repoSeq: whole, commitId: text.nullable(), partial: flag, operations: items }),
    ...inWays([
      { when: { dryRun: true }, calls: 'commit.validate' },
      { when: {}, calls: 'commit.submit' },
    ]),
    effect: 'changes',
  },
  content_set: {
    title: 'Write the readme or the text for agents',
    description:
      'Replaces a text of the repository, in Markdown: readme for people, agents for what agents are to know and do there.',
    input: REPO_PROCEDURES['repo.setContent'].input,
    output: z.looseObject({ name: text, version: whole, repoSeq: whole }),
    procedures: ['repo.setContent'],
    effect: 'adds',
    idempotent: true,
  },
} as const satisfies Record<string, ToolRow>;
