// The repositories that a list goes through: the one that was asked and, with `acrossRepos`, others that assert something
// about the same record. Each is read at one sequence, which the cursor keeps.

import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { LongRead } from '../engine/long-read.ts';
import { formatSources, NO_SOURCES, type NotedSources, noteSources, reopenSources } from '../graph/reference-source.ts';
import type { AboutCondition, Position } from './list/list-request.sql.ts';

/** What a cursor keeps: the sequence, other repositories with theirs, after which there are more, and the place in one. */
export type KeptPlace = [repoSeq: number, sources: string, through: number, part: number, ...Position];

/** Stands for the repository that was asked, which comes first, and for no repository at all. */
const OWN = 0;
const NONE = 0;

export interface Part {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  /** The place in it from which the list goes on. */
  readonly after: Position | undefined;
  /** What a cursor keeps to go on after a place in this part; without one, at its beginning. */
  readonly keep: (position: Position) => KeptPlace;
}

export interface PartsRequest {
  readonly grant: Grant;
  readonly atRepoSeq: number;
  /** With `acrossRepos`: what is asked about. */
  readonly across: AboutCondition | undefined;
  readonly kept: KeptPlace | undefined;
}

export async function* partsOf(context: Context, request: PartsRequest): AsyncGenerator<Part> {
  const { grant, atRepoSeq, across, kept } = request;
  const [, , , from = OWN, ...position] = kept ?? [];
  const after = position.length === 0 ? undefined : position;
  let noted = across === undefined ? NO_SOURCES : await firstSources(context, { ...request, across });
  const keeper = (part: number, sources: NotedSources) => (place: Position) =>
    [atRepoSeq, formatSources(sources, part), sources.through ?? NONE, part, ...place] satisfies KeptPlace;
  if (from === OWN) yield { grant, atRepoSeq, after, keep: keeper(OWN, noted) };
  for (;;) {
    for (const source of noted.sources) {
      const { repoId } = source.grant;
      yield { ...source, after: repoId === from ? after : undefined, keep: keeper(repoId, noted) };
    }
    if (across === undefined || noted.through === undefined) return;
    noted = await noteSources(context, referredRecord(grant, across), noted.through);
  }
}

async function firstSources(
  context: Context,
  { grant, across, kept }: PartsRequest & { across: AboutCondition },
): Promise<NotedSources> {
  if (kept === undefined) return await noteSources(context, referredRecord(grant, across), 0);
  const [, sources, through] = kept;
  return { sources: await reopenSources(context, sources), through: through === NONE ? undefined : through };
}

function referredRecord({ repoId }: Grant, { target, memberRoles }: AboutCondition) {
  const longRead = new LongRead('Ask without acrossRepos, or each of the other repositories.');
  const roles = ['about', ...memberRoles];
  return { target, targetVersion: target.version, roles, longRead, except: repoId };
}
