// The texts of a repository as files: readme.md and agents.md as they were written, llms.txt made from what it holds.

import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { entityTag, matchesTag } from '../read/entity-tag.ts';
import { sequenceOf } from '../read/thing.ts';
import { readContent } from './content.ts';
import { readDescription } from './description.ts';
import { makeLlmsText } from './llms-text.ts';
import type { RepositoryAddress } from './repository.sql.ts';

export type RawFile = 'readme.md' | 'agents.md' | 'llms.txt';

interface RawRequest extends RepositoryAddress {
  readonly file: RawFile;
  readonly atRepoSeq?: number | undefined;
  readonly ifNoneMatch: string | undefined;
}

interface RawContent {
  readonly tag: string;
  /** `undefined` where the caller has it already; then nothing was read. */
  readonly text: string | undefined;
}

export async function readRawContent(context: Context, request: RawRequest): Promise<RawContent> {
  const { file, atRepoSeq: asked, ifNoneMatch, orgName, repoName } = request;
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const atRepoSeq = sequenceOf(grant, asked);
  const tag = entityTag(context, grant, { route: file, parameters: { atRepoSeq: asked } });
  if (matchesTag(ifNoneMatch, tag)) return { tag, text: undefined };
  if (file === 'llms.txt') return { tag, text: await readLlmsText(context, grant, { asked, atRepoSeq }) };
  const name = file === 'readme.md' ? 'readme' : 'agents';
  const { content } = await readContent(context, grant, { name, atRepoSeq });
  return { tag, text: content };
}

async function readLlmsText(
  context: Context,
  grant: Grant,
  { asked, atRepoSeq }: { asked: number | undefined; atRepoSeq: number },
): Promise<string> {
  const description = await readDescription(context, grant, atRepoSeq);
  const { publicUrl } = context;
  return await makeLlmsText({ ...description, repository: grant.repository, publicUrl, atRepoSeq: asked });
}
