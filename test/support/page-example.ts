// The examples of a page of docs/, with the output that the page shows. Runnable blocks are marked after their
// language: ```sh run, ```ts run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_PATH, ROOT } from './server.ts';

export interface Example {
  readonly command: string;
  readonly lines: readonly string[];
}

/** Provides a `curl` for examples, for machines that have none. */
export const EXAMPLE_PATH = `${join(ROOT, 'test/support/bin')}:${NODE_PATH}`;

export const readPage = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Block {
  readonly language: string;
  readonly marked: boolean;
  readonly text: string;
}

function blocksIn(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)( run)?\n(.*?)^```$/gms)].map(([, language = '', run, text = '']) => ({
    language,
    marked: run !== undefined,
    text,
  }));
}

export function isRunnable(page: string): boolean {
  return blocksIn(page).some(({ marked }) => marked);
}

export function blockListOf(page: string, language: 'sh' | 'bash' | 'ts' | 'js' | 'json' | 'text'): string[] {
  return blocksIn(page)
    .filter((block) => block.language === language)
    .map(({ text }) => text);
}

export function blocksOf(page: string, language: 'sh' | 'ts' | 'js'): string {
  return blockListOf(page, language).join('');
}

/** The marked blocks. A page without any mark has its own test, which runs all blocks. */
function runnableOf(page: string, language: 'sh' | 'ts'): string {
  const blocks = blocksIn(page);
  const all = blocks.every(({ marked }) => !marked);
  return blocks
    .filter((block) => block.language === language && (all || block.marked))
    .map(({ text }) => text)
    .join('');
}

/** The commands of a page, in order. A line that starts with `# ` is expected output of the command before it. */
export function commandsIn(path: string): Example[] {
  return commandsOf(readPage(path));
}

export function commandsOf(text: string): Example[] {
  return runnableOf(text, 'sh')
    .split(/^(?=npx cairn|curl |export )/m)
    .filter((part) => part !== '')
    .map(exampleOf);
}

const INPUT_END = '\nEND\n';

function exampleOf(text: string): Example {
  // Input for a command may start with the same sign.
  const end = text.includes(INPUT_END) ? text.indexOf(INPUT_END) + INPUT_END.length : 0;
  const [input, rest] = [text.slice(0, end), text.slice(end)];
  const shown = [...rest.matchAll(/^# +(.*)\n/gm)];
  return { command: input + rest.replaceAll(/^# .*\n/gm, ''), lines: shown.map(([, line = '']) => line) };
}

/** The TypeScript of a page as one script, if there is any. A comment after a statement is its expected output. */
export function scriptIn(path: string): Example | undefined {
  const command = runnableOf(readPage(path), 'ts');
  if (command === '') return undefined;
  return { command, lines: [...command.matchAll(/; \/\/ (.*)\n/g)].map(([, line = '']) => line) };
}
