// Reference of procedures: an index page, and one page per noun with inputs and outputs.
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { z } from 'zod';
import { code, table } from './reference-text.ts';

const nounOf = (name: ProcedureName) => name.slice(0, name.indexOf('.'));
const pageOf = (noun: string) => `procedures-${noun}`;
/** Same anchor as the site and GitHub generate for the heading. */
const anchorOf = (name: ProcedureName) => name.toLowerCase().replaceAll('.', '');

function nouns(): Map<string, ProcedureName[]> {
  return Map.groupBy(PROCEDURE_NAMES, nounOf);
}

export function procedures(): string {
  const sections = [...nouns()].map(([noun, names]) => {
    const rows = names.map((name) => [
      `[${code(name)}](${pageOf(noun)}.md#${anchorOf(name)})`,
      QUERIES.has(name) ? 'query' : 'mutation',
      PROCEDURES[name].summary,
    ]);
    return `## ${noun}\n\n${table(['Procedure', 'Kind', 'Description'], rows)}\n`;
  });
  return `# Procedures

Call a procedure at \`/trpc/NAME\`: a query by \`GET\` with the input as JSON in \`input\`, or by \`POST\`; a mutation by \`POST\` with the
input as the body. The answer is \`{ "result": { "data": ... } }\`. A refusal has [an error](errors.md) in \`error.data.cairn\`. The
[SDK](../sdk.md) has a method with the same name for each procedure.

${sections.join('\n')}`;
}

/** Pairs of page name and text. */
export function procedurePages(): [string, string][] {
  return [...nouns()].map(([noun, names]) => {
    const sections = names.map((name) => {
      const { summary, input, output } = PROCEDURES[name];
      const schemas = `Input:\n\n${schemaOf(input, 'input')}\n\nOutput:\n\n${schemaOf(output, 'output')}`;
      return `## ${name}\n\n${summary} This is a ${QUERIES.has(name) ? 'query' : 'mutation'}.\n\n${schemas}\n`;
    });
    return [pageOf(noun), `# Procedures of ${noun}\n\n[All procedures](procedures.md)\n\n${sections.join('\n')}`];
  });
}

function schemaOf(type: z.ZodType, io: 'input' | 'output'): string {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io });
  return `\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\``;
}
