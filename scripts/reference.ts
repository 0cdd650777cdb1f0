import { ERRORS } from '@cairn/protocol/errors';
import { LIMITS, type LimitName } from '@cairn/protocol/limits';
import { ROUTES, type RouteKey } from '@cairn/protocol/routes';
import type { ToolRow } from '@cairn/protocol/row';
import { ORGANIZATION_ROLES, REPOSITORY_ROLES, SCOPES } from '@cairn/protocol/scopes';
import { needsCredential, TOOL_NAMES, TOOLS } from '@cairn/protocol/tools';
import type { Command } from 'commander';
import { examplesText } from '../packages/cli/src/examples.ts';
import { processIo } from '../packages/cli/src/io.ts';
import { createProgram, HELP_FOOTER } from '../packages/cli/src/program.ts';
import { flagOf, LIMIT_SETTINGS, SETTINGS } from '../packages/server/src/settings.ts';
import { manifestPage as manifest } from './reference-manifest.ts';
import { procedurePages, procedures } from './reference-procedures.ts';
import { code, table } from './reference-text.ts';
import { sdkPage as sdk } from './sdk-reference.ts';

const NOTE = '<!-- Made by `npm run generate`; do not edit. -->\n';

/** Maps paths below the root of the checkout to contents. */
export function referencePages(): Map<string, string> {
  const pages = { routes, procedures, settings, limits, errors, scopes, cli, tools, manifest, sdk };
  const made = [...Object.entries(pages).map(([name, page]) => [name, page()] as const), ...procedurePages()];
  return new Map(made.map(([name, text]) => [`docs/reference/${name}.md`, `${NOTE}\n${text}`]));
}

function routes(): string {
  const rows = (Object.keys(ROUTES) as RouteKey[]).map((key) => [code(key), ROUTES[key].summary, ROUTES[key].auth]);
  return `# Routes\n\n${table(['Route', 'What it does', 'Auth'], rows)}\n`;
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

function limits(): string {
  const rows = Object.entries(LIMITS).map(([name, { default: usual, meaning }]) => [
    code(name),
    usual.toLocaleString('en'),
    code(LIMIT_SETTINGS[name as LimitName].env),
    meaning,
  ]);
  return `# Limits\n\nWhat is beyond one is refused with what to do instead, or comes in parts; \`diagnostics.capabilities\` tells a client those of its server.\n\n${table(['Limit', 'Default', 'Setting', 'Meaning'], rows)}\n`;
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
    const text = `${help.formatHelp(command, help).trim()}\n\n${examplesText(command)}`;
    return `## ${path(command)}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
  });
  return `# The cairn command\n\n${HELP_FOOTER}\n\n${sections.join('\n')}`;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function path(command: Command): string {
  return command.parent === null ? command.name() : `${path(command.parent)} ${command.name()}`;
}
