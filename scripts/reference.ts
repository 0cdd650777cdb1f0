// The reference pages in docs/reference, made from the tables that the code itself uses.
import { ERRORS } from '@cairn/protocol/errors';
import { PROCEDURE_KINDS } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES } from '@cairn/protocol/procedures';
import { ORGANIZATION_ROLES, REPOSITORY_ROLES } from '@cairn/protocol/roles';
import { ROUTES, type RouteKey } from '@cairn/protocol/routes';
import { SCOPES } from '@cairn/protocol/scopes';
import type { ToolRow } from '@cairn/protocol/tool-row';
import { needsCredential, TOOL_NAMES, TOOLS } from '@cairn/protocol/tools';
import type { Command } from 'commander';
import { z } from 'zod';
import { processIo } from '../packages/cli/src/io.ts';
import { createProgram, HELP_FOOTER } from '../packages/cli/src/program.ts';
import { flagOf, SETTINGS } from '../packages/server/src/config.ts';
import { sdkPage } from './sdk-reference.ts';

const NOTE = '<!-- Made by `npm run generate`; do not edit. -->\n';

/** Path below the root of the checkout to content. */
export function referencePages(): Map<string, string> {
  return new Map(
    Object.entries({ routes, procedures, settings, errors, scopes, cli, tools, sdk: sdkPage }).map(([name, page]) => [
      `docs/reference/${name}.md`,
      `${NOTE}\n${page()}`,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

function routes(): string {
  const rows = (Object.keys(ROUTES) as RouteKey[]).map((key) => [code(key), ROUTES[key].summary, ROUTES[key].auth]);
  return `# Routes\n\n${table(['Route', 'What it does', 'Auth'], rows)}\n`;
}

function procedures(): string {
  const sections = PROCEDURE_NAMES.map((name) => {
    const { summary, input, output } = PROCEDURES[name];
    const schema = (type: z.ZodType, io: 'input' | 'output') => {
      const { $schema: _, ...rest } = z.toJSONSchema(type, { io });
      return `\`\`\`json\n${JSON.stringify(rest, null, 2)}\n\`\`\``;
    };
    return `## ${name}\n\n${summary} A ${PROCEDURE_KINDS[name]}.\n\nInput:\n\n${schema(input, 'input')}\n\nOutput:\n\n${schema(output, 'output')}\n`;
  });
  return `# Procedures\n\nCalled at \`/trpc/NAME\`: a query by \`GET\` with the input as JSON in \`input\`, or by \`POST\`; a mutation by \`POST\`.\n\n${sections.join('\n')}`;
}

function tools(): string {
  const effects = { reads: 'Reads.', adds: 'Writes.', changes: 'Writes, and may remove or pause.' };
  const sections = TOOL_NAMES.map((name) => {
    const { title, description, effect, procedures }: ToolRow = TOOLS[name];
    const credential = needsCredential(name) ? ' Needs a credential.' : '';
    return `## ${name}\n\n${title}. ${effects[effect]}${credential} Calls ${procedures.map(code).join(', ')}.\n\n${description}\n`;
  });
  return `# Tools\n\nOf MCP, at \`POST /mcp\`; \`tools/list\` gives their schemas. [MCP](../mcp.md) says how to connect.\n\n${sections.join('\n')}`;
}

function settings(): string {
  const rows = SETTINGS.map((row) => {
    const flag = flagOf(row);
    return [
      code(row.env),
      flag === undefined ? '' : code(`--${flag}`),
      row.default ? code(row.default) : '',
      row.meaning,
    ];
  });
  return `# Settings\n\nIn the environment, or as flags of \`npm start --\` and \`cairn serve\`. Flags win.\n\n${table(['Variable', 'Flag', 'Default', 'Meaning'], rows)}\n`;
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(([name, row]) => [
    code(name),
    row.status === 0 ? '' : String(row.status),
    'retryable' in row ? 'yes' : '',
    row.meaning,
  ]);
  return `# Errors\n\nEvery refusal is \`{ "error": { "code", "message", "details"?, "hint"?, "retryAfter"? } }\`; procedures carry the same in \`error.data.cairn\`.\n\n${table(['Code', 'Status', 'Try again', 'Meaning'], rows)}\n`;
}

function scopes(): string {
  const scopeRows = Object.entries(SCOPES).map(([name, meaning]) => [code(name), meaning]);
  const roleRows = (roles: Record<string, readonly string[]>) =>
    Object.entries(roles).map(([name, given]) => [code(name), given.map(code).join(', ')]);
  return `# Scopes and roles\n\n${table(['Scope', 'What it lets a caller do'], scopeRows)}\n\n## Organization roles\n\n${table(['Role', 'Scopes'], roleRows(ORGANIZATION_ROLES))}\n\n## Repository roles\n\n${table(['Role', 'Scopes'], roleRows(REPOSITORY_ROLES))}\n`;
}

function cli(): string {
  const sections = allCommands(createProgram({ ...processIo, setExitCode: () => {} })).map((command) => {
    const help = command.createHelp();
    help.helpWidth = 100;
    return `## ${path(command)}\n\n\`\`\`text\n${help.formatHelp(command, help).trim()}\n\`\`\`\n`;
  });
  return `# The cairn command\n\n${HELP_FOOTER}\n\n${sections.join('\n')}`;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function path(command: Command): string {
  return command.parent === null ? command.name() : `${path(command.parent)} ${command.name()}`;
}
