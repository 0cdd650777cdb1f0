// The comments stay plain English: none opens with a clause such as "What is kept" in place of a subject.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/server.ts';

/** A question may open with these words. */
const HEADLESS =
  /^(What|Who|Whom|Whose|Which|Whether|Where|How|Whatever|Whoever|Wherever|(Of|To|By|From|In|For|With) (which|whom|what)|So that|As one)\b(?!.*\?)/;

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

it('no comment opens with a headless clause', () => {
  const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: ROOT, encoding: 'utf8' });
  const files = tracked
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)));
  const comments = files.flatMap((file) =>
    findComments(readFileSync(join(ROOT, file), 'utf8')).map((comment) => ({ file, comment })),
  );
  expect(comments.length).toBeGreaterThan(3_000);
  expect(comments.filter(({ comment }) => HEADLESS.test(comment))).toEqual([]);
});

it.each(['What a token may do.', 'Whether it is done.', 'Of which there are many: look at them.'])(
  'finds that "%s" is headless',
  (comment) => {
    expect(findComments(`/** ${comment} */\n`)).toEqual([comment]);
    expect(findComments(`  // ${comment}\n`)).toEqual([comment]);
    expect(HEADLESS.test(comment)).toBe(true);
  },
);
