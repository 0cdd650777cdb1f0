// Comments and documents stay plain English: none opens with a clause such as "What is kept" in place of a subject, and
// names use the words of the field.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

/** A question may open with these words. */
const HEADLESS =
  /^(What|Who|Whom|Whose|Which|Whether|Where|How|Whatever|Whoever|Wherever|(Of|To|By|From|In|For|With) (which|whom|what)|So that|As one)\b(?![^.]*\?)/;

const LINE_COMMENTS = /(?:^[ \t]*\/\/.*\n)+/gm;
const BLOCK_COMMENT = /\/\*\*?(.*?)\*\//gs;

function findComments(source: string): string[] {
  const text = (lines: string, marker: RegExp) =>
    lines
      .trim()
      .split('\n')
      .map((line) => line.replace(marker, ''))
      .join(' ')
      .trim();
  return [
    ...[...source.matchAll(LINE_COMMENTS)].map(([lines]) => text(lines, /^\s*\/\/ ?/)),
    ...[...source.matchAll(BLOCK_COMMENT)].map(([, lines = '']) => text(lines, /^\s*\* ?/)),
  ];
}

/** Paragraphs and list items of a Markdown page, without code, tables, headings and bold openings. */
function findParagraphs(page: string): string[] {
  return page
    .replaceAll(/^\s*```.*?^\s*```|^<!--.*-->$/gms, '')
    .split(/\n\s*\n|^\s*(?:[-*]|\d+\.)\s+/m)
    .map((text) => text.trim().replace(/^\*\*[^*]+\*\*[.:]?\s*/, ''))
    .filter((text) => text !== '' && !/^[#|]/.test(text));
}

function readTracked(...patterns: string[]): { file: string; text: string }[] {
  const tracked = execFileSync('git', ['ls-files', ...patterns], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  return tracked
    .filter((file) => existsSync(join(ROOT, file)))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
}

it('no comment opens with a headless clause', () => {
  const comments = readTracked('*.ts', '*.tsx', '*.mjs').flatMap(({ file, text }) =>
    findComments(text).map((comment) => ({ file, comment })),
  );
  expect(comments.length).toBeGreaterThan(2_000);
  expect(comments.filter(({ comment }) => HEADLESS.test(comment))).toEqual([]);
});

it('no paragraph of a document opens with a headless clause', () => {
  const paragraphs = readTracked('*.md').flatMap(({ file, text }) =>
    findParagraphs(text).map((paragraph) => ({ file, paragraph })),
  );
  expect(paragraphs.length).toBeGreaterThan(2_000);
  expect(paragraphs.filter(({ paragraph }) => HEADLESS.test(paragraph))).toEqual([]);
});

it('finds headless paragraphs and list items, and leaves code and questions alone', () => {
  const page =
    '# What is it\n\nA server.\n- Who is kept.\n\n```sh\nWhere x\n```\n\n**Note.** What is\nkept.\n\nWho is it?\n';
  const paragraphs = findParagraphs(page);
  expect(paragraphs.filter((paragraph) => HEADLESS.test(paragraph))).toEqual(['Who is kept.', 'What is\nkept.']);
});

it.each(['What a token may do.', 'Whether it is done.', 'Of which there are many: look at them.'])(
  'finds that "%s" is headless',
  (comment) => {
    expect(findComments(`/** ${comment} */\n`)).toEqual([comment]);
    expect(findComments(`  // ${comment}\n`)).toEqual([comment]);
    expect(HEADLESS.test(comment)).toBe(true);
  },
);
