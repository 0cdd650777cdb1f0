// The raw content of a repository, at paths that people and agents guess.
import { rawContentQuery } from '@cairn/protocol/read';
import { answer } from '../http/answer.ts';
import { operationContext, type RouteHandler } from '../http/exchange.ts';
import { readParameters } from '../http/query.ts';
import { type RawFile, readRawContent } from './content.ts';

export const readme = serve('readme.md', 'text/markdown; charset=utf-8');
export const agents = serve('agents.md', 'text/markdown; charset=utf-8');
export const llms = serve('llms.txt', 'text/plain; charset=utf-8');

function serve(file: RawFile, contentType: string): RouteHandler {
  return async (c) => {
    const { org: orgName = '', repo: repoName = '' } = c.params as { org?: string; repo?: string };
    const ifNoneMatch = c.header('if-none-match');
    const request = {
      orgName,
      repoName,
      file,
      ...rawContentQuery.parse(readParameters(c, rawContentQuery)),
      ifNoneMatch,
    };
    const { tag, text } = await readRawContent(operationContext(c), request);
    const headers = { etag: tag, 'cache-control': 'private, no-cache', vary: 'Authorization' };
    if (text === undefined) return answer(c, { status: 304, body: null, headers });
    return answer(c, { body: text, contentType, headers });
  };
}
