// Records that refer to one which was retracted: they stay as they are, and whoever retracts it should know of them.
import type { CommitResult } from '@cairn/protocol/commit';
import { CairnError } from '@cairn/sdk';
import type { RepoName } from './repo-name.ts';
import type { Session } from './session.ts';
import { shellWord } from './shell-word.ts';

/** A request each. */
const LOOKED_UP_MAX = 5;
const PAGE_MAX = 500;

interface Written extends RepoName {
  readonly result: CommitResult;
}

/** Costs nothing where nothing was retracted. */
export async function tellStillReferred(session: Session, { result, ...repo }: Written): Promise<void> {
  if (!session.isFollowed) return;
  const retracted = result.operations.filter(
    ({ operation, kind, status }) => operation === 'retract' && kind !== 'shape' && status === 'applied',
  );
  for (const { name } of retracted.slice(0, LOOKED_UP_MAX)) {
    const text = await referredText(session, repo, name);
    if (text !== undefined) session.say(text);
  }
}

async function referredText(session: Session, { orgName, repoName }: RepoName, name: string) {
  try {
    const options = { direction: 'in', limit: PAGE_MAX } as const;
    const { items, nextCursor } = await session.client.thing.refs(orgName, repoName, name, options);
    const count = new Set(items.map(({ durableId }) => durableId)).size;
    if (count === 0) return undefined;
    const least = nextCursor === undefined ? '' : 'At least ';
    const records = count === 1 ? '1 record still refers' : `${count} records still refer`;
    return `${least}${records} to ${name}: cairn thing refs ${shellWord(name)} --direction in`;
  } catch (error) {
    // Who may not read is told nothing.
    if (error instanceof CairnError) return undefined;
    throw error;
  }
}
