// A list of the records of a shape that is not there is empty, as the server answers it. People are told that the name is wrong.

import { nearest } from '@cairn/protocol/nearest';
import { CairnError } from '@cairn/sdk';
import { hinted, type Place, shapeNames } from './near-name.ts';
import type { RepoName } from './repo-name.ts';
import { type SequenceFlags, sequenceFlagsOf } from './sequence.ts';
import type { Session } from './session.ts';

interface ShapeFlags extends SequenceFlags {
  readonly shape?: string;
}

interface Listed extends RepoName {
  readonly flags: ShapeFlags;
}

/** For a list that came out empty: whether that is because of the shape. */
export async function tellUnknownShape(session: Session, listed: Listed): Promise<void> {
  const { shape } = listed.flags;
  if (shape === undefined || !session.isFollowed || (await isThere(session, listed, shape))) return;
  const [meant] = nearest(shape, await namesIn(session, listed));
  session.say(`There is no shape "${shape}" here${meant === undefined ? '.' : `; did you mean "${meant}"?`}`);
}

/** Of conditions on a shape that is not there the server itself says so: what was meant is added. */
export async function orUnknownShape<Result>(
  session: Session,
  listed: Listed,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw await withMeant(session, listed, error);
  }
}

async function withMeant(session: Session, listed: Listed, error: unknown): Promise<unknown> {
  const { shape } = listed.flags;
  const isAboutShape = error instanceof CairnError && error.code === 'VALIDATION_ERROR' && error.hint === undefined;
  if (!isAboutShape || shape === undefined || (await isThere(session, listed, shape))) return error;
  const [meant] = nearest(shape, await namesIn(session, listed));
  return meant === undefined ? error : hinted(error, `Did you mean --shape ${meant}?`);
}

async function isThere({ client }: Session, { orgName, repoName, flags }: Listed, shape: string): Promise<boolean> {
  const { atRepoSeq } = sequenceFlagsOf(flags);
  return await isShapeThere({ client, orgName, repoName }, { shape, atRepoSeq });
}

interface SoughtShape {
  readonly shape: string;
  readonly atRepoSeq?: number | undefined;
}

/** One that is retracted is there: it may have records. */
export async function isShapeThere(place: Place, { shape, atRepoSeq }: SoughtShape): Promise<boolean> {
  const { client, orgName, repoName } = place;
  try {
    await client.shape.get(orgName, repoName, shape, {
      includeRetracted: true,
      ...(atRepoSeq !== undefined && { atRepoSeq }),
    });
    return true;
  } catch (error) {
    // Where it cannot be told, nothing is said.
    return !(error instanceof CairnError && error.code === 'NOT_FOUND');
  }
}

async function namesIn({ client }: Session, { orgName, repoName }: Listed): Promise<string[]> {
  return await shapeNames({ client, orgName, repoName }).catch(() => []);
}
