// The reference is complete: each table in the code has a row in the page for every entry. Names on other pages must
// exist in the reference.
import { globSync } from 'node:fs';
import { ERRORS } from '@cairn/protocol/errors';
import { LIMITS } from '@cairn/protocol/limits';
import { manifest } from '@cairn/protocol/manifest';
import { PROCEDURE_NAMES } from '@cairn/protocol/procedures';
import { ROUTES } from '@cairn/protocol/routes';
import { ORGANIZATION_ROLES, REPOSITORY_ROLES, SCOPES } from '@cairn/protocol/scopes';
import { TOOL_NAMES } from '@cairn/protocol/tools';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { processIo } from '../packages/cli/src/io.ts';
import { createProgram } from '../packages/cli/src/program.ts';
import { SETTINGS } from '../packages/server/src/settings.ts';
import { readPage } from './support/page-example.ts';
import { createTestApp, ROOT } from './support/server.ts';

const METRICS_TOKEN = 'a token for metrics, of 32 characters or more';
const program = createProgram({ ...processIo, setExitCode: () => {} });

function commandsOf(command: Command, above: string): string[] {
  const path = `${above}${command.name()}`;
  return [path, ...command.commands.flatMap((one) => commandsOf(one, `${path} `))];
}

function fieldsOf(schema: unknown, above: string): string[] {
  const { properties = {}, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  if (items !== undefined) return fieldsOf(items, `${above.slice(0, -1)}[].`);
  return Object.entries(properties).flatMap(([name, inner]) => [
    `${above}${name}`,
    ...fieldsOf(inner, `${above}${name}.`),
  ]);
}

const manifestFields = fieldsOf(z.toJSONSchema(manifest, { io: 'input', unrepresentable: 'any' }), '');
const row = (name: string) => `| \`${name}\` |`;
const heading = (name: string) => `## ${name}\n`;

const COMPLETE: [page: string, names: readonly string[], form: (name: string) => string][] = [
  ['routes', Object.keys(ROUTES), row],
  ['procedures', PROCEDURE_NAMES, (name) => `| [\`${name}\`](`],
  ['settings', SETTINGS.map(({ env }) => env), row],
  ['limits', Object.keys(LIMITS), row],
  ['errors', Object.keys(ERRORS), row],
  ['scopes', Object.keys({ ...SCOPES, ...ORGANIZATION_ROLES, ...REPOSITORY_ROLES }), row],
  ['cli', commandsOf(program, ''), heading],
  ['tools', TOOL_NAMES, heading],
  ['manifest', manifestFields, row],
];

describe('the reference', () => {
  it.each(COMPLETE)('of %s misses none', (page, names, form) => {
    const text = readPage(`docs/reference/${page}.md`);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !text.includes(form(name)))).toEqual([]);
  });

  it('of procedures has input and output of each', () => {
    const pages = globSync('docs/reference/procedures-*.md', { cwd: ROOT }).map(readPage).join('');
    const described = (name: string) =>
      new RegExp(`^## ${name}\n\n[^#]*?^Input:\n\n\`\`\`json\n.*?^Output:\n\n\`\`\`json\n`, 'ms');
    expect(PROCEDURE_NAMES.filter((name) => !described(name.replace('.', '\\.')).test(pages))).toEqual([]);
  });

  it('of the manifest says what each field is for', () => {
    const rows = readPage('docs/reference/manifest.md').split('\n');
    const silent = manifestFields.filter((name) =>
      rows.some((line) => line.startsWith(row(name)) && /\| {2}\|$/.test(line)),
    );
    // `component` needs no text, because its fields have theirs.
    expect(silent).toEqual(['component']);
  });
});

describe('docs/operate.md', () => {
  it('says what to watch of every metric', async () => {
    const { app } = await createTestApp('sqlite', { CAIRN_METRICS_TOKEN: METRICS_TOKEN });
    const answer = await app.request('/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const served = [...(await answer.text()).matchAll(/^# TYPE (cairn_\w+)/gm)].map(([, name = '']) => name);
    expect(served.length).toBeGreaterThan(3);
    const told = [...readPage('docs/operate.md').matchAll(/^\| `(cairn_\w+)` \|/gm)].map(([, name = '']) => name);
    expect(new Set(told)).toEqual(new Set(served));
  });
});

/** Shown on purpose, to explain the error message. */
const MISTYPED = 'cairn thing lst';

describe('other pages', () => {
  const pages = ['README.md', ...globSync('{docs,examples}/**/*.md', { cwd: ROOT })].filter(
    (page) => !/reference|decisions/.test(page),
  );

  it('name settings that there are', () => {
    const known = new Set(SETTINGS.map(({ env }) => env));
    const others = /^CAIRN_(URL|TOKEN|REPO|PROFILE|CONFIG|TEST_\w+|LIMIT)$/;
    const named = pages.flatMap((page) =>
      [...readPage(page).matchAll(/\bCAIRN_[A-Z0-9]+(?:_[A-Z0-9]+)*/g)].map(([name]) => [page, name] as const),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(([, name]) => !known.has(name) && !others.test(name))).toEqual([]);
  });

  it('name commands that there are', () => {
    const known = new Set(commandsOf(program, ''));
    const nouns = program.commands.filter(({ commands }) => commands.length > 0);
    const names = new Set(nouns.flatMap((noun) => [noun.name(), ...noun.aliases()]));
    const named = pages.flatMap((page) =>
      [...readPage(page).matchAll(/\bcairn ([a-z-]+) ([a-z][a-z-]*)\b/g)]
        .filter(([, noun = '']) => names.has(noun))
        .map(([command]) => [page, command] as const),
    );
    expect(named.length).toBeGreaterThan(100);
    const canonical = (command: string) => {
      const [, noun = '', verb = ''] = command.split(' ');
      const found = nouns.find((one) => one.name() === noun || one.aliases().includes(noun));
      const inner = found?.commands.find((one) => one.name() === verb || one.aliases().includes(verb));
      return `cairn ${found?.name()} ${inner?.name()}`;
    };
    const unknown = named.filter(([, command]) => command !== MISTYPED && !known.has(canonical(command)));
    expect(unknown).toEqual([]);
  });
});
