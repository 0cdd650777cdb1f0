import { expect, it } from 'vitest';
import { commitCallsOf, formatOperationLines } from './commit.ts';

const address = { url: 'http://localhost:3000', orgName: 'ada', repoName: 'world', isSignedIn: true };

it('a commit is told as it is sent', () => {
  const operations = [{ operation: 'add', kind: 'thing', name: 'Place/cave', data: { label: "Ada's" } }];
  const { http, sdk, cli } = commitCallsOf({ message: "Ada's cave", operations }, address);
  const body = (text: string) => JSON.parse(text.split("<<'END'\n")[1]?.replace(/\nEND$/, '') ?? '');
  expect(body(http)).toEqual({ orgName: 'ada', repoName: 'world', message: "Ada's cave", operations });
  expect(body(cli)).toEqual(operations);
  expect(cli).toContain(String.raw`--message 'Ada'\''s cave'`);
  expect(sdk).toContain("client.commit.submit('ada', 'world', {");
});

it('what would not be seen is written by its number, and every field is one', () => {
  const data = JSON.parse('{"__proto__":"\u202e"}');
  const { http, sdk, cli } = commitCallsOf({ message: '\u202eback', operations: [{ data }] }, address);
  for (const text of [http, sdk, cli]) expect(text).not.toContain('\u202e');
  expect(http).toContain(String.raw`"__proto__": "\u202e"`);
  expect(sdk).toContain(String.raw`["__proto__"]: "\u202e"`);
  expect(cli).toContain(String.raw`--message $'\xe2\x80\xaeback'`);
});

it('operations for a file stand one on each line, whatever is in them', () => {
  const operations = [{ name: 'Place/cave', data: { label: 'a\nb' } }, { name: '\u202e' }];
  const lines = formatOperationLines(operations).split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(operations);
  expect(lines[1]).toBe(String.raw`{"name":"\u202e"}`);
});
