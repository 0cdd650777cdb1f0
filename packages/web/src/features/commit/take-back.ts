// What the server is asked to find out how a commit of some time ago is taken back.
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { orNothing } from '../records/whereabouts.ts';
import { type Get, type TakingBack, takingBackOf } from './taking-back.ts';

/** A larger one is no work for a page. */
export const TAKEN_BACK_MOST = 200;

export async function findTakingBack({ orgName, repoName }: Sight, repoSeq: number): Promise<TakingBack> {
  const { operations } = await client.commit.get(orgName, repoName, repoSeq);
  const get: Get = (wref, atRepoSeq) =>
    orNothing(
      client.thing.get(orgName, repoName, wref, {
        includeRetracted: true,
        ...(atRepoSeq !== undefined && { atRepoSeq }),
      }),
    );
  return takingBackOf(get, repoSeq, operations);
}
