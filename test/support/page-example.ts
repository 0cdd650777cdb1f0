// The examples of a page of docs/: commands, and what the page says that they print.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './server.ts';

export interface Example {
  readonly command: string;
  readonly lines: readonly string[];
}

/** Where examples find `curl`, also on a machine that has none. */
export const EXAMPLE_PATH = `${join(ROOT, 'test/support/bin')}:${process.env.PATH ?? ''}`;

export const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8');

export function blockListOf(page: string, language: 'sh' | 'bash' | 'ts' | 'js' | 'json'): string[] {
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'));
  return [...blocks].map(([, block = '']) => block);
}

export function blocksOf(page: string, language: 'sh' | 'ts' | 'js'): string {
  return blockListOf(page, language).join('');
}

/** The commands of a page, in order; a line that begins with `# ` is of what the command before it prints. */
export function commandsIn(path: string): Example[] {
  return blocksOf(readPage(path), 'sh')
    .split(/^(?=npx cairn|curl )/m)
    .map(exampleOf);
}

const INPUT_END = '\nEND\n';

function exampleOf(text: string): Example {
  // What is sent into a command may begin with the same sign.
  const end = text.includes(INPUT_END) ? text.indexOf(INPUT_END) + INPUT_END.length : 0;
  const [input, rest] = [text.slice(0, end), text.slice(end)];
  const shown = [...rest.matchAll(/^# +(.*)\n/gm)];
  return { command: input + rest.replaceAll(/^# .*\n/gm, ''), lines: shown.map(([, line = '']) => line) };
}

/** The TypeScript of a page as one script; a comment after a statement is what it prints. */
export function scriptIn(path: string): Example {
  const command = blocksOf(readPage(path), 'ts');
  return { command, lines: [...command.matchAll(/; \/\/ (.*)\n/g)].map(([, line = '']) => line) };
}
