// The raw content of a repository, at paths that people and agents guess.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { type RawFile, readRawContent } from '../operations/raw-content.ts';
import { answer } from './edge/answer.ts';
import { type EdgeContext, operationContext, type RouteHandler } from './edge/env.ts';

export const readme = serve('readme.md', 'text/markdown; charset=utf-8');
export const agents = serve('agents.md', 'text/markdown; charset=utf-8');
export const llms = serve('llms.txt', 'text/plain; charset=utf-8');

function serve(file: RawFile, contentType: string): RouteHandler {
  return async (c) => {
    const { org: orgName = '', repo: repoName = '' } = c.req.param() as { org?: string; repo?: string };
    const ifNoneMatch = c.req.header('if-none-match');
    const request = { orgName, repoName, file, atRepoSeq: readSequence(c), ifNoneMatch };
    const { tag, text } = await readRawContent(operationContext(c), request);
    const headers = { etag: tag, 'cache-control': 'private, no-cache', vary: 'Authorization' };
    if (text === undefined) return answer(c, { status: 304, body: null, headers });
    return answer(c, { body: text, contentType, headers });
  };
}

const NAME_CHARACTERS_MAX = 80;

function readSequence(c: EdgeContext): number | undefined {
  const given = new URL(c.req.url).searchParams;
  const unknown = [...given.keys()].find((name) => name !== 'atRepoSeq');
  if (unknown !== undefined) {
    const name = unknown.slice(0, NAME_CHARACTERS_MAX);
    throw refused(name, `There is no parameter ${name} here. This route takes atRepoSeq alone.`);
  }
  const [text, ...others] = given.getAll('atRepoSeq');
  if (text === undefined) return undefined;
  if (others.length === 0 && /^\d{1,15}$/.test(text)) return Number(text);
  throw refused('atRepoSeq', 'atRepoSeq is one whole number, 0 or more: a sequence of the repository.');
}

function refused(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}
